import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientConfig } from '../../packages/kit/operator/endpoint.js';
import { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import { productOf } from './scenarios/shop.js';
import { prodAssembly } from './support/assembly.js';
import { token } from './support/issuer.js';
import type { Call } from './support/orderly.js';

/**
 * The rehearsal of the runbook's "Restore to a point in time": the catalogue goes back to an instant, and counts versions
 * from there again, which its baskets have seen before. The restore itself is AWS's: here the copies are made from what the
 * tables contained at the instant.
 */

let local: LocalCloud;
let dynamodb: DynamoDBClient;
beforeAll(async () => {
  local = await LocalCloud.start({ folder: prodAssembly(), says: () => undefined });
  dynamodb = new DynamoDBClient(clientConfig({ url: local.url, region: 'eu-west-1' }));
});
afterAll(() => local.stop());

async function call({ method, path, as, body }: Call) {
  const response = await fetch(`${local.url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token(as, as === 'operator' ? 'operator' : 'customer', local.live.now)}`,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as Record<string, unknown>;
}

const priced = async (sku: string, amount: number) => {
  const { version } = await call(productOf(sku, amount));
  await local.live.forward(60_000);
  return version;
};
const priceOf = async (sku: string) =>
  ((await call({ method: 'GET', path: `/products/${sku}`, as: 'alice' })).unitPrice as { amount: number }).amount;
const pricesInBasket = async () => {
  const { lines } = await call({ method: 'GET', path: '/basket', as: 'alice' });
  return Object.fromEntries(
    (lines as { sku: string; unitPrice: { amount: number } }[]).map((line) => [line.sku, line.unitPrice.amount]),
  );
};

const TABLES = { table: 'orderly-prod-Catalog-Table', records: 'orderly-prod-Catalog-Records' };
const itemsOf = async (TableName: string) => (await dynamodb.send(new ScanCommand({ TableName }))).Items ?? [];

/** Makes a copy as `restore-table-to-point-in-time` makes it: keys and items, no stream. */
async function restored(TableName: string, keys: readonly string[], items: Awaited<ReturnType<typeof itemsOf>>) {
  const copy = `${TableName}-restored-20261201110000`;
  await dynamodb.send(
    new CreateTableCommand({
      TableName: copy,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: keys.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' })),
    }),
  );
  for (const Item of items) await dynamodb.send(new PutItemCommand({ TableName: copy, Item }));
  return copy;
}

async function copyBack(table: string, copy: string, ...options: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['tools/restore/copy-back.mjs', table, copy, ...options],
    {
      env: {
        ...process.env,
        AWS_ENDPOINT_URL: local.url,
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
      },
    },
  );
  return stdout.trim();
}

test('a service goes back to an instant, and its consumers follow it by the epoch', async () => {
  for (const sku of ['TEA-1', 'TEA-2']) {
    expect(await priced(sku, 350)).toBe(1);
    await call({ method: 'PUT', path: `/basket/items/${sku}`, as: 'alice', body: { quantity: 1 } });
  }
  const then = { table: await itemsOf(TABLES.table), records: await itemsOf(TABLES.records) };
  for (const sku of ['TEA-1', 'TEA-2', 'TEA-3']) await priced(sku, 900);
  expect(await pricesInBasket()).toEqual({ 'TEA-1': 900, 'TEA-2': 900 });
  // A commit that somebody has deleted comes back, too.
  const commit = then.table.find(({ sk }) => sk?.S?.startsWith('COMMIT#'));
  await dynamodb.send(
    new DeleteItemCommand({
      TableName: TABLES.table,
      Key: { pk: commit?.pk ?? { S: '' }, sk: commit?.sk ?? { S: '' } },
    }),
  );
  const logged = { pk: { S: 'AUDIT#2026-12' }, sk: { S: 'somebody' } };
  await dynamodb.send(new PutItemCommand({ TableName: TABLES.table, Item: logged }));
  const published = local.live.cloud.events.accepted.length;

  const copies = {
    table: await restored(TABLES.table, ['pk', 'sk'], then.table),
    records: await restored(TABLES.records, ['pk'], then.records),
  };
  expect(await copyBack(TABLES.table, copies.table)).toMatch(/ would be put back, .* would be deleted /);
  expect(await priceOf('TEA-1')).toBe(900);
  await copyBack(TABLES.table, copies.table, '--write');
  await copyBack(TABLES.records, copies.records, '--write');
  expect(await copyBack(TABLES.table, copies.table, '--write')).toMatch(/ the same, 0 put back, 0 deleted$/);
  await local.live.forward(60_000);
  expect([await priceOf('TEA-1'), await priceOf('TEA-2')]).toEqual([350, 350]);
  // The log of what operators did doesn't go back.
  expect(await itemsOf(TABLES.table)).toContainEqual(logged);
  // Nothing that was put back is published a second time.
  expect(local.live.cloud.events.accepted).toHaveLength(published);

  // Baskets have seen version 2 of this epoch: they keep the price that the catalogue has forgotten.
  expect(await priced('TEA-2', 400)).toBe(2);
  expect(await pricesInBasket()).toMatchObject({ 'TEA-2': 900 });

  const relay = local.live.cloud.fn('Catalog/Outbox/Relay');
  relay.update({ variables: { ...variablesOf(relay), EPOCH: '1' } });
  expect(await priced('TEA-1', 400)).toBe(2);
  expect(await pricesInBasket()).toMatchObject({ 'TEA-1': 400 });
});

const variablesOf = ({ resource }: { readonly resource: { readonly properties: object } }) =>
  (resource.properties as { Environment: { Variables: Record<string, string> } }).Environment.Variables;
