/** AWS CloudFormation, "AWS::DynamoDB::GlobalTable" and "AWS::DynamoDB::Table". */
import { NotModelled } from '../../wire/operation.js';
import { isKeyType } from './values.js';
import type { KeyType, StreamViewType, WireObject } from './wire.js';

export interface KeySchema {
  readonly partition: string;
  readonly sort?: string;
}

export interface IndexDefinition {
  readonly name: string;
  readonly key: KeySchema;
  /** Shares the table's partitions: it never lags, and can be read consistently. */
  readonly local: boolean;
  /** Attributes in the index, including the keys of index and table. */
  readonly projected: 'ALL' | ReadonlySet<string>;
}

export interface TableDefinition {
  readonly name: string;
  readonly key: KeySchema;
  /** Types of the key attributes of table and indexes. */
  readonly types: ReadonlyMap<string, KeyType>;
  readonly indexes: ReadonlyMap<string, IndexDefinition>;
  readonly ttlAttribute?: string;
  readonly stream?: StreamViewType;
  /** Whether it can be restored to a point in time. */
  readonly recovers: boolean;
}

/** A resource of a template with its intrinsic functions resolved. */
export interface TableResource {
  readonly Type: string;
  readonly Properties: WireObject;
}

/**
 * Properties of tables that change no answer: cost, protection, encryption and throughput (on demand, never throttled
 * here).
 */
const INERT: ReadonlySet<string> = new Set([
  'BillingMode',
  'ContributorInsightsSpecification',
  'DeletionProtectionEnabled',
  'OnDemandThroughput',
  'PointInTimeRecoverySpecification',
  'ProvisionedThroughput',
  'Replicas',
  'ResourcePolicy',
  'SSESpecification',
  'TableClass',
  'TableName',
  'Tags',
  'WarmThroughput',
  'WriteOnDemandThroughputSettings',
  'WriteProvisionedThroughputSettings',
]);
const MODELLED: ReadonlySet<string> = new Set([
  'AttributeDefinitions',
  'GlobalSecondaryIndexes',
  'KeySchema',
  'LocalSecondaryIndexes',
  'StreamSpecification',
  'TimeToLiveSpecification',
]);

/** @throws {NotModelled} names the parts of the resource that have no model */
export function readDefinition(name: string, { Type, Properties }: TableResource): TableDefinition {
  const refuse = (what: string): never => {
    throw new NotModelled(`table ${name}: ${what}`);
  };
  if (Type !== 'AWS::DynamoDB::GlobalTable' && Type !== 'AWS::DynamoDB::Table') refuse(`type ${Type}`);
  for (const property of Object.keys(Properties)) {
    if (!INERT.has(property) && !MODELLED.has(property)) refuse(`property ${property}`);
  }
  if (toList(Properties.Replicas).length > 1) refuse('more than one replica');
  const types = new Map<string, KeyType>();
  for (const { AttributeName, AttributeType } of toList(Properties.AttributeDefinitions)) {
    if (typeof AttributeType !== 'string' || !isKeyType(AttributeType)) refuse(`attribute type ${AttributeType}`);
    types.set(String(AttributeName), AttributeType as KeyType);
  }
  const key = readKey(Properties.KeySchema);
  const indexes = [
    ...toList(Properties.GlobalSecondaryIndexes).map((index) => readIndex(index, key, false)),
    ...toList(Properties.LocalSecondaryIndexes).map((index) => readIndex(index, key, true)),
  ];
  for (const { partition, sort } of [key, ...indexes.map((index) => index.key)]) {
    if (!types.has(partition) || (sort !== undefined && !types.has(sort))) refuse('a key without attribute definition');
  }
  const ttl = Properties.TimeToLiveSpecification as { AttributeName?: string; Enabled?: unknown } | undefined;
  const stream = Properties.StreamSpecification as
    | { StreamViewType?: StreamViewType; StreamEnabled?: boolean }
    | undefined;
  return {
    name,
    key,
    types,
    indexes: new Map(indexes.map((index) => [index.name, index])),
    ...(ttl?.AttributeName && String(ttl.Enabled) === 'true' ? { ttlAttribute: ttl.AttributeName } : {}),
    ...(stream?.StreamViewType && stream.StreamEnabled !== false ? { stream: stream.StreamViewType } : {}),
    recovers: recovers(Properties),
  };
}

/** A global table says it of its replica. */
function recovers({ PointInTimeRecoverySpecification: own, Replicas }: WireObject): boolean {
  const given = (own ?? toList(Replicas)[0]?.PointInTimeRecoverySpecification) as WireObject | undefined;
  return String(given?.PointInTimeRecoveryEnabled) === 'true';
}

function readKey(schema: unknown): KeySchema {
  const parts = toList(schema);
  const named = (type: string): string | undefined => {
    const found = parts.filter(({ KeyType }) => KeyType === type);
    if (found.length > 1) throw new NotModelled(`a key with several ${type} attributes`);
    return found[0]?.AttributeName as string | undefined;
  };
  const [partition, sort] = [named('HASH'), named('RANGE')];
  if (partition === undefined) throw new NotModelled('a key without a HASH attribute');
  return sort === undefined ? { partition } : { partition, sort };
}

function readIndex(index: WireObject, table: KeySchema, local: boolean): IndexDefinition {
  const key = readKey(index.KeySchema);
  const { ProjectionType, NonKeyAttributes } = index.Projection as {
    ProjectionType: string;
    NonKeyAttributes?: string[];
  };
  const projected =
    ProjectionType === 'ALL'
      ? 'ALL'
      : new Set([
          ...attributeNames(table),
          ...attributeNames(key),
          ...(ProjectionType === 'INCLUDE' ? (NonKeyAttributes ?? []) : []),
        ]);
  return { name: String(index.IndexName), key, local, projected };
}

export const attributeNames = ({ partition, sort }: KeySchema): readonly string[] =>
  sort === undefined ? [partition] : [partition, sort];

const toList = (value: unknown): readonly WireObject[] => (Array.isArray(value) ? value : []);
