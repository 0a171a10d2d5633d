import { DynamoDbModel } from '../../services/dynamodb/model.js';
import type { DynamoDbModelOptions } from '../../services/dynamodb/model-options.js';
import type { WireObject } from '../../services/dynamodb/wire.js';
import { seededRandom } from './random.js';

export const TABLE = 'things';

/** A table with all features that the tests need. */
export const PROPERTIES = {
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'N' },
    { AttributeName: 'kind', AttributeType: 'S' },
    { AttributeName: 'level', AttributeType: 'N' },
    { AttributeName: 'tag', AttributeType: 'S' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byKind',
      KeySchema: [
        { AttributeName: 'kind', KeyType: 'HASH' },
        { AttributeName: 'level', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
    {
      IndexName: 'kindKeys',
      KeySchema: [{ AttributeName: 'kind', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
    {
      IndexName: 'byTag',
      KeySchema: [
        { AttributeName: 'kind', KeyType: 'HASH' },
        { AttributeName: 'tag', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
  TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
} as const;

/** The same table with local indexes, of which one lacks most attributes. */
export const WITH_LOCAL_INDEXES = {
  ...PROPERTIES,
  LocalSecondaryIndexes: [
    {
      IndexName: 'levels',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'level', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
    {
      IndexName: 'tags',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'tag', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
} as const;

/** Creates a model with that table, and a clock that tests can move. */
export function model(options: Partial<DynamoDbModelOptions> = {}, Properties: WireObject = PROPERTIES) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const db = new DynamoDbModel({ now: () => clock.now, random: seededRandom(1), indexDelay: () => 0, ...options });
  db.createTable(TABLE, { Type: 'AWS::DynamoDB::GlobalTable', Properties });
  return { db, clock };
}
