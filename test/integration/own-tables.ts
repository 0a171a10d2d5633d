import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import { APP } from '../../lambdas/app.js';
import { Env } from '../../packages/kit/aws/environment.js';
import { clientConfig } from '../../packages/operator/deployment/endpoint.js';

const { endpoint, region } = inject('deployed');

/** Client configuration for the endpoint in this process. */
export const config = clientConfig({ url: endpoint, region });

/** Sets a function's environment. Call it before anything of `lambdas` is imported. */
export function setEnvironment(values: Readonly<Record<string, string>>): void {
  Object.assign(process.env, {
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_METRICS_NAMESPACE: 'Orderly/test',
    POWERTOOLS_SERVICE_NAME: 'test',
    [Env.APP]: APP.name,
    [Env.OPERATOR_ROLES]: JSON.stringify(APP.operatorRoles),
    [Env.FEED_SHARDS]: JSON.stringify([{ from: '1970-01-01T00:00:00.000Z', shards: 8 }]),
    [Env.EPOCH]: '0',
    [Env.DEDUPE_WINDOW_SECONDS]: String(35 * 86_400),
    ...(endpoint !== undefined && {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    }),
    ...values,
  });
}

export interface OwnTables {
  /** Table with the keys of a service's table: `pk`, `sk`. */
  readonly table: string;
  /** Table with the key of a service's idempotency table: `pk`. */
  readonly records: string;
  drop(): Promise<void>;
}

/** Creates two empty tables like a service's, for one test file, and names them in the environment. */
export async function ownTables(values: Readonly<Record<string, string>> = {}): Promise<OwnTables> {
  const client = new DynamoDBClient(config);
  const suffix = randomUUID().slice(0, 8);
  const tables = { table: `orderly-test-table-${suffix}`, records: `orderly-test-records-${suffix}` };
  for (const [TableName, keys] of [
    [tables.table, ['pk', 'sk']],
    [tables.records, ['pk']],
  ] as const) {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: keys.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' })),
      }),
    );
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
  }
  setEnvironment({ [Env.TABLE]: tables.table, [Env.RECORDS]: tables.records, ...values });
  return {
    ...tables,
    drop: async () => {
      for (const TableName of Object.values(tables)) await client.send(new DeleteTableCommand({ TableName }));
      client.destroy();
    },
  };
}
