import { describe, expect, test } from 'vitest';
import { PEOPLE_INDEX } from '../../packages/kit/aws/indexes.js';
import type { EventSchema } from '../../packages/kit/messages/contract.js';
import { contracts } from '../../tools/release/contracts.js';
import { type Json, referenced, SERVICES, STACKS, statements, synthesized } from '../support/environments.js';

const dev = synthesized('dev');
const prod = synthesized('prod');

const PEOPLE = [PEOPLE_INDEX, 'person', 'pk', 'KEYS_ONLY'];

/** Indexes besides `feed`. */
const OWN_INDEXES: Record<(typeof SERVICES)[number], string[][]> = {
  Orders: [PEOPLE, ['placed', 'placedPk', 'sk', 'INCLUDE']],
  Inventory: [],
  Accounts: [['exhausted', 'exhaustedPk', 'exhaustedSk', 'INCLUDE'], PEOPLE],
  Payments: [PEOPLE],
  Catalog: [
    ['products-by-sku', 'listPk', 'listSk', 'ALL'],
    ['products', 'listPk', 'listSk', 'INCLUDE'],
  ],
  Baskets: [],
  Users: [PEOPLE],
  Rewards: [],
  Reports: [],
};
const CONTRACTS = await contracts();
/** Roles of the delivery audit, and of what operators ask. They read what every service has committed. */
const READERS = /^(Auditor|Get(Status|Failures|Audit|Trace|Orders|AuditLog))Role/;

describe('tables', () => {
  test.each(SERVICES)(
    'tables of %s have pinned logical ids, since another id would create an empty table',
    (service) => {
      const ids = (environment: typeof dev) =>
        environment.resources(service, 'AWS::DynamoDB::GlobalTable').map(({ id }) => id);
      const own = (payments: string[]) => [...(service === 'Payments' ? payments : []), 'Records', 'Table'].sort();
      expect(ids(dev).sort()).toEqual(own(['Guard', 'Sandbox']));
      expect(ids(prod).sort()).toEqual(own(['Guard']));
    },
  );

  test('expire by expiresAt and are billed per request', () => {
    const tables = [dev, prod].flatMap((environment) => environment.everywhere('AWS::DynamoDB::GlobalTable'));
    expect(tables).toHaveLength(43);
    for (const { stack, properties } of tables) {
      const expiry = { AttributeName: 'expiresAt', Enabled: true };
      expect(properties.TimeToLiveSpecification).toEqual(stack === 'Platform' ? undefined : expiry);
      expect(properties.BillingMode).toBe('PAY_PER_REQUEST');
    }
  });

  test('tables have the keys, the stream and the indexes of the design', () => {
    for (const service of SERVICES) {
      const [records, table] = ['Records', 'Table'].map(
        (id) => dev.resources(service).find((resource) => resource.id === id)?.properties,
      );
      expect(keys(table)).toEqual(['pk', 'sk']);
      expect(table.StreamSpecification).toEqual({ StreamViewType: 'NEW_IMAGE' });
      expect(indexes(table)).toEqual([['feed', 'feedPk', 'feedSk', 'KEYS_ONLY'], ...OWN_INDEXES[service]]);
      expect(keys(records)).toEqual(['pk']);
      // The dispatcher of a service's inboxes reads it.
      const stream = ['Orders', 'Rewards', 'Reports'].includes(service) ? { StreamViewType: 'NEW_IMAGE' } : undefined;
      expect(records.StreamSpecification).toEqual(stream);
      expect(indexes(records)).toEqual([
        ['failed', 'failedConsumer', 'failedAt', 'ALL'],
        ['due', 'duePk', 'executeAt', 'KEYS_ONLY'],
      ]);
    }
  });

  test('tables are restorable, protected and retained in prod; deleted with the stack in dev', () => {
    const safety = (environment: typeof dev) =>
      environment.everywhere('AWS::DynamoDB::GlobalTable').map(({ properties, attributes }) => {
        const [replica] = properties.Replicas;
        return [
          replica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
          replica.DeletionProtectionEnabled,
          attributes.DeletionPolicy,
          attributes.UpdateReplacePolicy,
        ];
      });
    expect(safety(prod)).toEqual(Array(21).fill([true, true, 'RetainExceptOnCreate', 'Retain']));
    expect(safety(dev)).toEqual(Array(22).fill([false, false, 'Delete', 'Delete']));
  });

  test("fulfil the compliance packs' rules for tables, which can't check AWS::DynamoDB::GlobalTable", () => {
    expect([...dev.everywhere('AWS::DynamoDB::Table'), ...prod.everywhere('AWS::DynamoDB::Table')]).toEqual([]);
    for (const { id, properties } of prod.everywhere('AWS::DynamoDB::GlobalTable')) {
      expect(properties.Replicas, id).toHaveLength(1);
      const [replica] = properties.Replicas;
      expect(replica, id).toMatchObject({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      });
      // In a backup plan, or deliberately without a second copy.
      expect(id === 'PersonalKeys' || JSON.stringify(replica.Tags).includes('orderly:backup'), id).toBe(true);
      // Always encrypted, by default with DynamoDB's own key. Capacity is on demand, so it scales by itself.
      expect(properties.SSESpecification?.SSEEnabled ?? false, id).toBe(false);
      expect(properties.BillingMode, id).toBe('PAY_PER_REQUEST');
    }
  });

  test('belong to their own service: no other stack refers to them', () => {
    for (const service of SERVICES) {
      const exported = JSON.stringify(
        Object.values<Json>(prod.template(service).Outputs).filter((output) => output.Export),
      );
      expect(exported).not.toMatch(/"Table"|"Records"|"Guard"/);
    }
    for (const { policy, actions, resources } of statements(prod)) {
      if (!actions.some((action) => action.startsWith('dynamodb:'))) continue;
      for (const resource of resources) {
        // The delivery audit and operators name the tables by the beginnings of their names, so they refer to none.
        if (READERS.test(policy) && JSON.stringify(resource).includes(':table/orderly-prod-')) continue;
        const table = referenced(resource) ?? referenced(resource['Fn::Join']?.[1][0]) ?? importOf(resource);
        expect(['Table', 'Records', 'Guard', "the people's keys"], policy).toContain(table);
      }
    }
  });

  test('tables are accessible only at the keys that a function needs', () => {
    const items = statements(prod).filter(({ actions }) =>
      actions.some((action) => /^dynamodb:.*(Item|Query)/.test(action)),
    );
    expect(items.length).toBeGreaterThan(15);
    for (const { policy, actions, condition } of items) {
      // The delivery audit and operators read what every service has committed, and every record.
      if (READERS.test(policy) && /^dynamodb:(Query|BatchGetItem)$/.test(actions.join())) continue;
      const keys: string[] = condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? [];
      expect(keys, policy).not.toEqual([]);
      for (const key of keys)
        expect(key, policy).toMatch(
          /^([A-Za-z-]+[#@]|(STUCK|ROUNDTRIP)#[A-Za-z]+#|LANE#[a-z-]+#|orders-reviews|REVIEWS|rewards-accounts|reports-daily)\*$/,
        );
    }
  });
});

describe('the personal data keys', () => {
  const [table] = prod.resources('Platform', 'AWS::DynamoDB::GlobalTable');
  const [key, ...others] = prod.resources('Platform', 'AWS::KMS::Key').filter(({ id }) => !id.startsWith('Backup'));

  test('the keys can be restored for one day only, since a restore brings back forgotten people', () => {
    expect(table?.id).toBe('PersonalKeys');
    expect(keys(table?.properties)).toEqual(['pk']);
    const [{ PointInTimeRecoverySpecification: recovery }] = table?.properties.Replicas ?? [];
    expect(recovery).toEqual({ PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 1 });
    expect(table?.properties.StreamSpecification).toBeUndefined();
  });

  test('one KMS key wraps the keys; it is rotated, and retained in prod', () => {
    expect(others).toEqual([]);
    expect(key?.properties.EnableKeyRotation).toBe(true);
    expect(key?.attributes).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  });

  test("the keys are wrapped for tagged roles only: administrators can manage the KMS key but can't use it", () => {
    const [administration, use, ...more] = key?.properties.KeyPolicy.Statement ?? [];
    expect(more).toEqual([]);
    const root = {
      AWS: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':iam::', { Ref: 'AWS::AccountId' }, ':root']] },
    };
    for (const { Effect, Principal, Resource } of [administration, use]) {
      expect({ Effect, Principal, Resource }).toEqual({ Effect: 'Allow', Principal: root, Resource: '*' });
    }
    expect(administration.Condition).toBeUndefined();
    expect(administration.Action).toEqual(expect.arrayContaining(['kms:PutKeyPolicy', 'kms:CancelKeyDeletion']));
    const uses = /^kms:(\*|Decrypt|Encrypt|ReEncrypt.*|Generate.*|CreateGrant|Create\*|Sign|DeriveSharedSecret)$/;
    expect(administration.Action.filter((action: string) => uses.test(action) || action.includes('*'))).toEqual([]);
    expect(use.Action).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
    expect(use.Condition).toEqual({
      StringEquals: {
        'kms:EncryptionContext:purpose': 'personal-data',
        'aws:PrincipalTag/orderly-personal-data': 'prod',
      },
    });
    const tagged = prod
      .everywhere('AWS::IAM::Role')
      .filter(({ properties }) => JSON.stringify(properties.Tags).includes('orderly-personal-data'));
    expect(tagged.map(({ id }) => id.replace(/Role.*/, ''))).toEqual([
      'PlaceOrder',
      'GetOrder',
      'ListOrders',
      'OrderHistory',
      'CancelOrder',
      'DispatchOrder',
      'OnSaga',
      'RunJudgements',
      'ReviewOrder',
      'SetAccountStatus',
      'ApplyBonus',
      'AccountHistory',
      'RequestPayment',
      'GetPayment',
      'RefundPayment',
      'GetMe',
      'GetUser',
      'PatchMe',
      'SetStatus',
    ]);
    for (const { properties } of tagged) {
      expect(properties.Tags).toContainEqual({ Key: 'orderly-personal-data', Value: 'prod' });
    }
  });

  test('the keys are used for personal data only, and are created only by functions that write it', () => {
    const uses = statements(prod).filter(
      ({ actions, policy }) => !policy.startsWith('Backup') && actions.some((action) => action.startsWith('kms:')),
    );
    for (const { condition } of uses) {
      expect(condition).toEqual({ StringEquals: { 'kms:EncryptionContext:purpose': 'personal-data' } });
    }
    expect(uses.map(({ policy, actions }) => [policy.replace(/Role.*/, ''), actions])).toEqual([
      ['PlaceOrder', ['kms:Decrypt', 'kms:GenerateDataKey']],
      ['GetOrder', ['kms:Decrypt']],
      ['ListOrders', ['kms:Decrypt']],
      ['OrderHistory', ['kms:Decrypt']],
      ['CancelOrder', ['kms:Decrypt', 'kms:GenerateDataKey']],
      ['DispatchOrder', ['kms:Decrypt']],
      ['OnSaga', ['kms:Decrypt']],
      ['RunJudgements', ['kms:Decrypt']],
      ['ReviewOrder', ['kms:Decrypt', 'kms:GenerateDataKey']],
      ['SetAccountStatus', ['kms:Decrypt', 'kms:GenerateDataKey']],
      ['ApplyBonus', ['kms:Decrypt', 'kms:GenerateDataKey']],
      ['AccountHistory', ['kms:Decrypt']],
      ['RequestPayment', ['kms:Decrypt', 'kms:GenerateDataKey']],
      ['GetPayment', ['kms:Decrypt']],
      ['RefundPayment', ['kms:Decrypt']],
      ['GetMe', ['kms:Decrypt']],
      ['GetUser', ['kms:Decrypt']],
      ['PatchMe', ['kms:Decrypt', 'kms:GenerateDataKey']],
      ['SetStatus', ['kms:Decrypt', 'kms:GenerateDataKey']],
    ]);
    const touched = statements(prod).filter(({ resources }) => resources.some((one) => importOf(one) !== undefined));
    const items = touched.filter(({ actions }) => actions.some((action) => action.startsWith('dynamodb:')));
    expect(items.map(({ policy, actions }) => [policy.replace(/Role.*/, ''), actions])).toEqual([
      ['PlaceOrder', ['dynamodb:GetItem', 'dynamodb:PutItem']],
      ['GetOrder', ['dynamodb:GetItem']],
      ['ListOrders', ['dynamodb:GetItem']],
      ['OrderHistory', ['dynamodb:GetItem']],
      ['CancelOrder', ['dynamodb:GetItem', 'dynamodb:PutItem']],
      ['DispatchOrder', ['dynamodb:GetItem']],
      ['OnSaga', ['dynamodb:GetItem']],
      ['RunJudgements', ['dynamodb:GetItem']],
      ['ReviewOrder', ['dynamodb:GetItem', 'dynamodb:PutItem']],
      ['SetAccountStatus', ['dynamodb:GetItem', 'dynamodb:PutItem']],
      ['ApplyBonus', ['dynamodb:GetItem', 'dynamodb:PutItem']],
      ['AccountHistory', ['dynamodb:GetItem']],
      ['RequestPayment', ['dynamodb:GetItem', 'dynamodb:PutItem']],
      ['GetPayment', ['dynamodb:GetItem']],
      ['RefundPayment', ['dynamodb:GetItem']],
      ['GetMe', ['dynamodb:GetItem']],
      ['GetUser', ['dynamodb:GetItem']],
      ['PatchMe', ['dynamodb:GetItem', 'dynamodb:PutItem']],
      ['ForgetMe', ['dynamodb:UpdateItem']],
      ['SetStatus', ['dynamodb:GetItem', 'dynamodb:PutItem']],
    ]);
  });

  test('each service with personal data has an index of commits by person', () => {
    // A webhook's secret is sealed by a key of the webhook, which is no person: nobody exports it.
    const marked = [...CONTRACTS.values()].filter(
      ({ service, events, person }) =>
        service !== 'webhooks' && (person || Object.values<EventSchema>(events).some(({ personal }) => personal)),
    );
    const indexed = SERVICES.filter((service) => OWN_INDEXES[service].some(([name]) => name === PEOPLE_INDEX));
    expect(marked.map(({ service }) => service).toSorted()).toEqual(
      indexed.map((service) => service.toLowerCase()).toSorted(),
    );
  });
});

describe('the second copy of tables', () => {
  const tables = prod.everywhere('AWS::DynamoDB::GlobalTable');
  const [plan] = prod.resources('Platform', 'AWS::Backup::BackupPlan');
  const [vault] = prod.resources('Platform', 'AWS::Backup::BackupVault');

  test('covers every table in prod except the personal data keys, which must not come back', () => {
    const [selection, ...others] = prod.resources('Platform', 'AWS::Backup::BackupSelection');
    expect(others).toEqual([]);
    const [{ ConditionType, ConditionKey, ConditionValue }] = selection?.properties.BackupSelection.ListOfTags ?? [];
    expect(ConditionType).toBe('STRINGEQUALS');
    expect(selection?.properties.BackupSelection.Resources).toBeUndefined();
    const copied = tables.filter(({ properties }) =>
      properties.Replicas.every(({ Tags }: Json) =>
        Tags.some(({ Key, Value }: Json) => Key === ConditionKey && Value === ConditionValue),
      ),
    );
    expect(copied).toHaveLength(20);
    expect(tables.filter((table) => !copied.includes(table)).map(({ id }) => id)).toEqual(['PersonalKeys']);
    const tagged = STACKS.flatMap((stack) => prod.resources(stack)).filter(
      ({ type, properties }) =>
        type !== 'AWS::DynamoDB::GlobalTable' &&
        type !== 'AWS::Backup::BackupSelection' &&
        JSON.stringify(properties).includes(ConditionKey),
    );
    expect(tagged).toEqual([]);
  });

  test("a copy is made once a day, encrypted with its own key, kept for a week, and can't be removed earlier", () => {
    const [rule, ...others] = plan?.properties.BackupPlan.BackupPlanRule ?? [];
    expect(others).toEqual([]);
    expect(rule).toMatchObject({ ScheduleExpression: 'cron(0 3 * * ? *)', Lifecycle: { DeleteAfterDays: 7 } });
    expect(referenced(rule.TargetBackupVault)).toBe(vault?.id);
    expect(JSON.stringify(vault?.properties.BackupVaultName)).toContain('AWS::StackId');
    expect(vault?.properties.LockConfiguration).toEqual({ MinRetentionDays: 7 });
    expect(referenced(vault?.properties.EncryptionKeyArn)).toMatch(/^BackupKey/);
    expect(vault?.attributes).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  });

  test('environments that keep no data have no second copy', () => {
    expect(dev.resources('Platform').filter(({ type }) => type.startsWith('AWS::Backup'))).toEqual([]);
    expect(JSON.stringify(dev.everywhere('AWS::DynamoDB::GlobalTable'))).not.toContain('orderly:backup');
  });
});

/** Names what the platform's stack exports to services: the table of keys and the key that wraps them. */
function importOf(resource: Json): string | undefined {
  const name = String(resource?.['Fn::ImportValue'] ?? '');
  return /PersonalKeys/.test(name) ? "the people's keys" : undefined;
}

describe('the relay', () => {
  const mappings = [dev, prod].flatMap((environment) =>
    environment
      .everywhere('AWS::Lambda::EventSourceMapping')
      .filter(({ id, properties }) => id.startsWith('Outbox') && JSON.stringify(properties).includes('StreamArn')),
  );

  test('reads its stream from the beginning, in parallel, and gives up in time', () => {
    expect(mappings).toHaveLength(18);
    for (const { properties } of mappings) {
      expect(properties).toMatchObject({
        StartingPosition: 'TRIM_HORIZON',
        ParallelizationFactor: 10,
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
      expect(properties.MaximumRetryAttempts).toBeGreaterThan(0);
      expect(properties.MaximumRecordAgeInSeconds).toBeGreaterThan(0);
      expect(properties.MaximumRecordAgeInSeconds).toBeLessThan(24 * 3600);
      expect(referenced(properties.DestinationConfig.OnFailure.Destination)).toMatch(/FailedBatches/);
    }
  });

  test('receives only inserted commits that must be published', () => {
    for (const { properties } of mappings) {
      const patterns = properties.FilterCriteria.Filters.map(({ Pattern }: Json) => JSON.parse(Pattern));
      const sent = (record: Json) => patterns.some((pattern: Json) => fits(pattern, record));
      const record = (eventName: string, sk: string, published?: boolean) => ({
        eventName,
        dynamodb: {
          Keys: { sk: { S: sk } },
          NewImage: { sk: { S: sk }, ...(published !== undefined && { published: { BOOL: published } }) },
        },
      });
      expect(sent(record('INSERT', 'COMMIT#0000000001'))).toBe(true);
      expect(sent(record('INSERT', 'COMMIT#0000000001', true))).toBe(true);
      expect(sent(record('INSERT', 'COMMIT#0000000001', false))).toBe(false);
      expect(sent(record('INSERT', 'STATE'))).toBe(false);
      expect(sent(record('MODIFY', 'COMMIT#0000000001'))).toBe(false);
      expect(sent({ eventName: 'REMOVE', dynamodb: { Keys: { sk: { S: 'COMMIT#0000000001' } } } })).toBe(false);
    }
  });

  test('the relay has a bucket for failed batches that announces new objects, without a custom resource', () => {
    for (const service of SERVICES) {
      const [bucket, ...others] = prod.resources(service, 'AWS::S3::Bucket');
      expect(others).toEqual([]);
      expect(bucket?.properties).toMatchObject({
        NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
        // Overwritten or deleted objects stay readable by their version, and expire as well.
        VersioningConfiguration: { Status: 'Enabled' },
        LifecycleConfiguration: {
          Rules: [
            { ExpirationInDays: 30, NoncurrentVersionExpiration: { NoncurrentDays: 30 }, Status: 'Enabled' },
            { ExpiredObjectDeleteMarker: true, Status: 'Enabled' },
          ],
        },
      });
      expect(prod.resources(service).filter(({ type }) => type.startsWith('Custom::'))).toEqual([]);
      const drain = statements(prod).filter(
        ({ stack, policy }) => stack === service && policy.includes('FailedBatches'),
      );
      expect(drain.flatMap(({ actions }) => actions.filter((action) => action.startsWith('s3:')))).toEqual([
        's3:GetObjectVersion',
      ]);
      const rule = prod.resources(service, 'AWS::Events::Rule').find(({ id }) => id.includes('BatchFailed'));
      expect(rule?.properties.EventPattern.detail.bucket.name.map(referenced)).toEqual([bucket?.id]);
    }
  });
});

const keys = (table: Json): string[] => table.KeySchema.map(({ AttributeName }: Json) => AttributeName);
const indexes = (table: Json): string[][] =>
  table.GlobalSecondaryIndexes.map((index: Json) => [index.IndexName, ...keys(index), index.Projection.ProjectionType]);

/** Matches the part of EventBridge's patterns that the filters use: equality, `prefix` and `exists`, on leaves. */
function fits(pattern: Json, value: Json): boolean {
  if (!Array.isArray(pattern)) return Object.keys(pattern).every((key) => fits(pattern[key], value?.[key]));
  return pattern.some((condition) => {
    if (condition?.exists !== undefined) return condition.exists === (value !== undefined);
    if (condition?.prefix !== undefined) return typeof value === 'string' && value.startsWith(condition.prefix);
    return value === condition;
  });
}
