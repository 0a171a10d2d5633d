import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Search } from '../../../lambdas/operations/find-message.js';
import { showTrace } from '../../../lambdas/operations/trace.js';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { smallestIdAt } from '../../../packages/kit/aws/ids.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import type { CommandContext } from '../../../packages/operator/cli/context.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { SERVICES } from './facts.js';

const NOW = '2026-12-01T12:30:00.000Z';
const AT = '2026-12-01T12:10:00.000Z';
const [ONE, OTHER] = ['1'.repeat(32), '2'.repeat(32)];

const baskets: Service = {
  name: 'baskets',
  table: 'baskets',
  records: 'baskets-records',
  relay: 'relay',
  feedShards: [],
  consumers: [],
};
const services = [...SERVICES, baskets];

const context: CommandContext = {
  app: 'orderly',
  environment: 'dev',
  endpoint: { url: undefined, region: 'eu-west-1' },
  documents: documentClient,
  clock,
  stacks: {},
  services,
  command: commandFormatter('orderly'),
  actor: () => expect.fail('nothing is changed'),
  say: () => undefined,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) });
  const names = services.map(({ name }) => name);
  inProcessDynamoDb(
    Object.fromEntries(names.flatMap((name) => [[name, ['pk', 'sk']] as const, [`${name}-records`, ['pk']] as const])),
    Object.fromEntries(names.map((name) => [name, { feed: ['feedPk', 'feedSk'] }])),
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const put = (TableName: string, Item: object) => documentClient.send(new PutCommand({ TableName, Item }));

/** Puts a commit with one event, and the record of what orders-saga did with it. */
async function reserved(
  aggregate: string,
  { correlationId, status = 'PROCESSED' }: { readonly correlationId: string; readonly status?: string },
): Promise<void> {
  const id = `event-${aggregate}`;
  await put('inventory', {
    pk: aggregate,
    sk: 'COMMIT#0000000001',
    events: [{ id, type: 'StockReserved', schemaVersion: 1, data: '{}' }],
    lastVersion: 1,
    trigger: `request-${aggregate}`,
    actor: 'customer:alice',
    correlationId,
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    at: AT,
    feedPk: `${AT.slice(0, 13)}#0`,
    feedSk: smallestIdAt(Date.parse(AT)),
  });
  await put('orders-records', { pk: recordKey({ name: 'orders-saga', generation: 0 }, id), status });
  vi.advanceTimersByTime(60_000); // an index comes a moment later
}

const search: Search = { back: 3_600_000, most: 5_000, where: 'in the last hour', narrower: 'run orderly trace mine' };
const traced = async (id: string, bounds: Partial<Search> = {}) => {
  const { json } = await showTrace(context, { id, verbose: false, search: { ...search, ...bounds } });
  return json as {
    readonly verdict: { readonly state: string };
    readonly roots: readonly { readonly subject: string }[];
  };
};
const subjectsOf = ({ roots }: { readonly roots: readonly { readonly subject: string }[] }) =>
  roots.map(({ subject }) => subject);

test('a correlation id is that of all its orders, and of aggregates without one: its verdict is about each', async () => {
  await reserved(`Reservation#${ONE}`, { correlationId: 'mine' });
  await reserved(`Reservation#${OTHER}`, { correlationId: 'mine' });
  await reserved('Stock#TEA-1', { correlationId: 'mine' });
  await reserved(`Reservation#${'3'.repeat(32)}`, { correlationId: 'not-mine', status: 'FAILED' });
  const tree = await traced('mine');
  expect(subjectsOf(tree).toSorted()).toEqual([`Reservation/${ONE}`, `Reservation/${OTHER}`, 'Stock/TEA-1']);
  expect(tree.verdict.state).toBe('complete');
});

test.each([`Reservation#${ONE}`, `Reservation#${OTHER}`, 'Stock#TEA-1'])(
  'a failure at %s is that of the correlation id',
  async (failed) => {
    for (const one of [`Reservation#${ONE}`, `Reservation#${OTHER}`, 'Stock#TEA-1'])
      await reserved(one, { correlationId: 'mine', ...(one === failed && { status: 'FAILED' }) });
    expect((await traced('mine')).verdict.state).toBe('failed');
  },
);

test('a message without a subscriber is complete, and was compared with nothing', async () => {
  await put('baskets', {
    pk: 'Basket#b1',
    sk: 'COMMIT#0000000001',
    events: [{ id: 'event-basket', type: 'BasketItemSet', schemaVersion: 1, data: '{}' }],
    lastVersion: 1,
    trigger: 'request',
    actor: 'customer:alice',
    correlationId: 'mine',
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    at: AT,
    feedPk: `${AT.slice(0, 13)}#0`,
    feedSk: smallestIdAt(Date.parse(AT)),
  });
  vi.advanceTimersByTime(60_000); // an index comes a moment later
  expect((await traced('mine')).verdict).toEqual({
    state: 'complete',
    text: 'complete: 1 message, 0 deliveries; 1 message has no consumer: nothing to compare',
  });
});

test('a correlation id of too many orders is refused: each is traced by its own id', async () => {
  for (let at = 10; at <= 30; at++) await reserved(`Reservation#${String(at).repeat(16)}`, { correlationId: 'mine' });
  await expect(traced('mine')).rejects.toMatchObject({
    code: 'refused',
    message: "'mine' belongs to more than 20 orders: trace each order by its own id.",
  });
});

test('a correlation id that looks like an order’s id is found, and what nothing has is an unknown order', async () => {
  const id = 'a'.repeat(32);
  await expect(traced(id)).rejects.toMatchObject({ code: 'not-found', message: `There is no order '${id}'.` });
  await reserved('Stock#TEA-1', { correlationId: id });
  expect(subjectsOf(await traced(id))).toEqual(['Stock/TEA-1']);
});

test('an unknown id says where it was searched, in words of the caller', async () => {
  const message = "No order, event, command or correlation id 'mine' was found in the last hour.";
  await expect(traced('mine')).rejects.toMatchObject({ code: 'not-found', message });
});

test('a search among more commits than its limit, of all services, is refused before it reads one of them', async () => {
  for (let at = 0; at < 3; at++) await reserved(`Stock#TEA-${at}`, { correlationId: 'mine' });
  await put('orders', {
    pk: 'Order#x',
    sk: 'COMMIT#1',
    feedPk: `${AT.slice(0, 13)}#0`,
    feedSk: smallestIdAt(Date.parse(AT)),
  });
  vi.advanceTimersByTime(60_000);
  const read = vi.spyOn(documentClient, 'send');
  await expect(traced('mine', { most: 3 })).rejects.toMatchObject({
    code: 'refused',
    message: 'There are more than 3 commits in that time: name an order or an event, or run orderly trace mine.',
  });
  expect(new Set(read.mock.calls.map(([call]) => call.constructor.name))).toEqual(new Set(['QueryCommand']));
});
