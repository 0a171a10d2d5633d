import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteItemCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientConfig } from '../../packages/operator/deployment/endpoint.js';
import type { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import { describeShape, differencesBetween, documentedShape } from '../support/json-shape.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { accepted, beginLocalCloud, endLocalCloud } from '../support/simulation/at-local-cloud.js';
import type { Call } from '../support/simulation/orderly.js';
import { type Dead, Restoring } from '../support/simulation/restoring.js';
import { productOf } from './scenarios/shop.js';

/**
 * The rehearsal of the runbook's "Restore to a point in time": the catalogue goes back to an instant by `restore apply`, and
 * counts versions from there again, which its baskets have seen before. The command is killed before and after each of its
 * changes, and called again.
 */

const folders: string[] = [];
let local: LocalCloud;
let restoring: Restoring;
let dynamodb: DynamoDBClient;
beforeAll(async () => {
  local = await beginLocalCloud({ historyLimit: 1_000_000 });
  restoring = new Restoring(local);
  dynamodb = new DynamoDBClient(clientConfig({ url: local.url, region: 'eu-west-1' }));
});
afterAll(async () => {
  await endLocalCloud(local);
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const call = (one: Call): Promise<Record<string, unknown>> => accepted(local, one);

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

const TABLES = ['orderly-prod-Catalog-Table', 'orderly-prod-Catalog-Records'] as const;
const itemsOf = async (TableName: string) => (await dynamodb.send(new ScanCommand({ TableName }))).Items ?? [];
/** Items of a table without what operators did: it doesn't go back. `published` says only whether the relay publishes. */
const data = async (table: string) =>
  (await itemsOf(table))
    .filter(({ pk }) => !/^(AUDIT#|RESTORE$)/.test(pk?.S ?? ''))
    .map(({ published: _, ...item }) => JSON.stringify(item))
    .toSorted();

/** Deploys the same assembly with a raised epoch of the catalogue, as `cdk deploy` does. */
function deployEpoch(epoch: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'raised-'));
  folders.push(folder);
  cpSync(prodAssembly(), folder, { recursive: true });
  const [file = ''] = readdirSync(folder).filter((name) => /Catalog.*\.template\.json$/.test(name));
  const template = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  template.Outputs.Epoch.Value = String(epoch);
  for (const { Properties } of Object.values(template.Resources) as { Properties?: Record<string, never> }[]) {
    const variables = (Properties?.Environment as { Variables?: Record<string, string> } | undefined)?.Variables;
    if (variables?.EPOCH !== undefined) variables.EPOCH = String(epoch);
  }
  writeFileSync(join(folder, file), JSON.stringify(template));
  expect(local.live.deploy(folder)).toEqual([]);
}

const functionsOfCatalog = () =>
  [...local.live.cloud.functions.values()].filter(({ label }) => /^Catalog\/(?!Outbox\/Relay)/.test(label));
const areStopped = () => ({
  functions: functionsOfCatalog().every(({ reserved }) => reserved === 0),
  mappings: local.live.cloud.sources.every(({ fn, enabled }) => enabled === !functionsOfCatalog().includes(fn)),
});
const reservedOfCatalog = () => functionsOfCatalog().map(({ label, reserved }) => [label, reserved]);

test('a service goes back to an instant, whenever the command dies, and its consumers follow it by the epoch', async () => {
  for (const sku of ['TEA-1', 'TEA-2']) {
    expect(await priced(sku, 350)).toBe(1);
    await call({ method: 'PUT', path: `/basket/items/${sku}`, as: 'alice', body: { quantity: 1 } });
  }
  await local.live.forward(60_000);
  const at = new Date(Math.floor(local.live.now / 1000) * 1000).toISOString();
  const then = [await data(TABLES[0]), await data(TABLES[1])];
  const reserved = reservedOfCatalog();
  await local.live.forward(60_000);
  for (const sku of ['TEA-1', 'TEA-2', 'TEA-3']) await priced(sku, 900);
  expect(await pricesInBasket()).toEqual({ 'TEA-1': 900, 'TEA-2': 900 });
  // A commit that somebody has deleted comes back, too.
  const commit = (await itemsOf(TABLES[0])).find(
    ({ sk, at: made }) => sk?.S?.startsWith('COMMIT#') && (made?.S ?? '') < at,
  );
  await dynamodb.send(
    new DeleteItemCommand({ TableName: TABLES[0], Key: { pk: commit?.pk ?? { S: '' }, sk: commit?.sk ?? { S: '' } } }),
  );
  await local.live.forward(360_000);
  const published = local.live.cloud.events.accepted.length;

  // All but the deployment.
  expect((await restoring.apply({ at, dryRun: true })).result.state).toBe('dry run');
  const asleep: Dead[] = [];
  const { result, exitCode, deaths } = await restoring.applyInSpiteOfDeaths({ at }, async (dead) => {
    if (dead.change.name.includes('SET #copyingSince')) await restoring.apply({ at, dryRun: true });
    const sleeps = dead.change.name.startsWith('TransactWriteItems') && asleep.length === 0;
    if (sleeps) asleep.push(dead);
    return sleeps;
  });
  // Each kind of change was met: switches, tables, writes, notes.
  for (const kind of [/^PUT .*mappings/, /^PUT .*concurrency/, /^RestoreTable/, /^TransactWrite/, /copiedAt/])
    expect(deaths.filter((name) => kind.test(name)).length).toBeGreaterThan(0);
  expect({ state: result.state, exitCode }).toEqual({ state: 'deploy', exitCode: 3 });
  expect(result.next).toEqual([
    "set epochs: { catalog: 1 } of 'prod' in lib/settings.ts",
    'npx cdk deploy --all -c environment=prod',
    `npm run -s orderly -- restore apply catalog --at ${at.replace('.000Z', 'Z')} --environment prod`,
  ]);
  expect([await data(TABLES[0]), await data(TABLES[1])]).toEqual(then);
  expect(areStopped()).toEqual({ functions: true, mappings: true });
  // Nothing that was put back is published a second time.
  await local.live.forward(60_000);
  expect(local.live.cloud.events.accepted).toHaveLength(published);
  // Without the deployment nothing is started, however often it is called.
  expect((await restoring.apply({ at })).result.state).toBe('deploy');
  expect(areStopped()).toEqual({ functions: true, mappings: true });

  deployEpoch(1);
  expect(areStopped()).toEqual({ functions: true, mappings: true });
  const restored = await restoring.applyInSpiteOfDeaths({ at });
  expect({ state: restored.result.state, exitCode: restored.exitCode }).toEqual({ state: 'done', exitCode: 0 });
  expect(reservedOfCatalog()).toEqual(reserved);
  expect(local.live.cloud.sources.every(({ enabled }) => enabled)).toBe(true);
  expect([await priceOf('TEA-1'), await priceOf('TEA-2')]).toEqual([350, 350]);

  // Baskets have seen version 2 of the epoch before: what comes again has a higher epoch.
  expect(await pricesInBasket()).toEqual({ 'TEA-1': 900, 'TEA-2': 900 });
  expect(await priced('TEA-1', 400)).toBe(2);
  expect(await pricesInBasket()).toEqual({ 'TEA-1': 400, 'TEA-2': 900 });

  // A run that slept before its first write, and wakes up now, takes nothing away from what was written since.
  const before = [await data(TABLES[0]), await data(TABLES[1])];
  for (const { endpoint, ended } of asleep) {
    endpoint.awake();
    await expect(ended).rejects.toMatchObject({ code: 'refused', message: expect.stringMatching(/taken over/) });
    endpoint.close();
  }
  expect(asleep).toHaveLength(1);
  expect([await data(TABLES[0]), await data(TABLES[1])]).toEqual(before);

  const deleted = await restoring.applyInSpiteOfDeaths({ at, deleteCopies: true });
  expect(deleted.result.state).toBe('done');
  expect(local.live.cloud.dynamodb.tables().filter((name) => name.includes('restored'))).toEqual([]);
  // Called once more, it does nothing.
  expect((await restoring.apply({ at })).result.state).toBe('done');
  expect([await data(TABLES[0]), await data(TABLES[1])]).toEqual(before);
});

test('docs/operations/json.md says what --json prints', async () => {
  const page = readFileSync('docs/operations/json.md', 'utf8');
  expect(differencesBetween(describeShape(restoring.printed), documentedShape(page, 'restore apply'))).toEqual({
    missing: [],
    wrong: [],
  });
});
