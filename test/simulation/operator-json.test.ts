import { readFileSync } from 'node:fs';
import { LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, parseIdTime } from '../../packages/kit/aws/ids.js';
import { commitKey } from '../../packages/kit/messages/commit.js';
import { COMMIT_PREFIX } from '../../packages/kit/messages/keys.js';
import { stuckKey } from '../../packages/kit/saga/contract.js';
import { openContext } from '../../packages/operator/cli/context.js';
import { clientConfig } from '../../packages/operator/deployment/endpoint.js';
import { findProjection, listDeployedProjections } from '../../packages/operator/projections/projections.js';
import { rebuild } from '../../packages/operator/projections/rebuild.js';
import type { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import { dueRecords } from '../../tools/local/awaits.js';
import { ORDERLY, run } from '../../tools/operator/command-line.js';
import { describeShape, differencesBetween, documentedShape } from '../support/json-shape.js';
import { accepted, beginLocalCloud, endLocalCloud } from '../support/simulation/at-local-cloud.js';
import type { Call } from '../support/simulation/orderly.js';
import { DAY, orderOf, productOf } from './scenarios/shop.js';

const PAGE = readFileSync('docs/operations/json.md', 'utf8');

/** Time of this machine, before the cloud was begun. The cloud is 40 days ahead: nothing that happens in it has a time of this machine. */
const BEGUN = Date.now();
const AHEAD = 40 * DAY;
/** Texts of the tables that are there before anything happens, such as times of its deployment. */
let deployed = '';
/** JSON that commands printed. */
const printed: string[] = [];

let local: LocalCloud;
afterAll(() => endLocalCloud(local));

/** Orders: one that went through, one whose saga waits for its reservation, and two whose sagas are stuck. */
const placed: string[] = [];
/** Time before the second order, in whole seconds. */
let instant = '';
/** A message that nobody can read. */
let poison: { readonly messageId: string };
/** A command that the catalogue refuses each time, and the group of what is like it. */
let refused: { readonly messageId: string };
let group = '';
let cause = '';
/** A message that an inbox could not process. */
let stored: { readonly consumer: string; readonly messageId: string };
/** An event of the first order. */
let event = '';
/** Output of `status` two days later, which passed at once. */
let afterForward: unknown;
/** Group of the stuck sagas. */
let stuckGroup = '';

beforeAll(async () => {
  local = await beginLocalCloud({ nextWorkAt: dueRecords });
  await local.live.forward(AHEAD);
  deployed = storedTexts();
  await call(productOf('TEA-1'));
  await call({ method: 'PUT', path: '/stock/TEA-1', as: 'operator', body: { onHand: 9 } });
  placed.push((await call(orderOf('alice', 'first', ['TEA-1']))).orderId ?? '');
  await local.live.forward(60_000);
  await asked('local', 'forward', '2d');
  afterForward = await asked('status');
  await send('Inventory/Commands/Queue', 'poison');
  await send('Inventory/Commands/Queue', 'another');
  await sendWithoutData('Catalog/Commands/Queue', 'ConfirmPrices', '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10');
  await sendWithoutData('Reports/Days/Queue', 'OrderApproved', '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e11');
  await local.live.forward(60_000);
  await disable('Inventory/OnCommands/');
  instant = new Date(local.live.now).toISOString().replace(/\.\d+Z$/, 'Z');
  placed.push((await call(orderOf('bob', 'second', ['TEA-1']))).orderId ?? '');
  placed.push((await call(orderOf('carol', 'third', ['TEA-1']))).orderId ?? '');
  placed.push((await call(orderOf('dave', 'fourth', ['TEA-1']))).orderId ?? '');
  await local.live.forward(300_000);
  await again('catalog', `PriceCheck#${placed[0]}`);
  for (const orderId of placed.slice(2)) await stuck(orderId);
  [poison] = (await asked('failures', 'list', '--consumer', 'inventory-commands')).failures;
  [refused] = (await asked('failures', 'list', '--consumer', 'catalog-commands')).failures;
  const ofCatalog = await asked('failures', 'groups', '--consumer', 'catalog-commands');
  [[{ id: group }], [{ id: cause }]] = [ofCatalog.groups, ofCatalog.causes];
  [stored] = (await asked('inbox', 'list', '--state', 'failed')).messages;
  event = (await asked('order', placed[0] ?? '')).events[0].id;
  [{ id: stuckGroup }] = (await asked('failures', 'groups', '--consumer', 'orders-saga')).groups;
});

const call = (one: Call) => accepted(local, one);

const place = () => ({ url: local.url, region: 'eu-west-1', ahead: local.live.now - Date.now() });

/** Returns everything that the cloud's tables hold. */
const storedTexts = (): string => {
  const { cloud } = local.live;
  const tables = cloud.deployment.assembly.resources.filter(({ type }) =>
    /^AWS::DynamoDB::(?:Global)?Table$/.test(type),
  );
  return JSON.stringify(tables.map(({ ref }) => cloud.listItems(ref)));
};

/** Returns the times and ids in a text that are of this machine's clock: a day before the cloud was begun up to a day from now. */
function timesOfMachine(text: string): readonly string[] {
  const ids = text.match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g) ?? [];
  const times = text.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g) ?? [];
  const found = [
    ...ids.map((id) => [id, parseIdTime(id) ?? 0] as const),
    ...times.map((time) => [time, Date.parse(time)] as const),
  ];
  return found.flatMap(([one, at]) => (at > BEGUN - DAY && at < Date.now() + DAY ? [one] : []));
}
const endpoint = () => clientConfig(place());
const send = (label: string, MessageBody: string) =>
  new SQSClient(endpoint()).send(
    new SendMessageCommand({ QueueUrl: local.live.cloud.queue(label).resource.ref, MessageBody }),
  );

/** Sends a message again that the bus has accepted, with another id and without its data, so that its consumer refuses it. */
async function sendWithoutData(label: string, type: string, id: string): Promise<void> {
  const sent = local.live.cloud.events.accepted.find(({ event }) => event['detail-type'] === type)?.event;
  await send(label, JSON.stringify({ ...sent, detail: { ...(sent?.detail as object), id, data: {} } }));
}

const opened = () => openContext({ ...ORDERLY, resolveEndpoint: async () => place() }, 'prod', () => undefined);

/** Puts one more commit of an aggregate: the first one again, with the same cause and the same effect, or others' events. */
async function again(service: string, pk: string, events?: readonly (readonly [string, object])[]): Promise<void> {
  const { documents, services } = await opened();
  const TableName = services.find(({ name }) => name === service)?.table;
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :commits)',
      ExpressionAttributeValues: { ':pk': pk, ':commits': COMMIT_PREFIX },
    }),
  );
  const [{ commands: _, ...first } = {}] = Items;
  const version = Number(Items.at(-1)?.lastVersion) + 1;
  const own = events?.map(([type, data], at) => ({
    id: newId(local.live.now),
    type,
    schemaVersion: 1,
    data: JSON.stringify(data),
    at,
  }));
  const Item = { ...first, ...(own && { events: own }), sk: commitKey(version) };
  await documents.send(new PutCommand({ TableName, Item: { ...Item, lastVersion: version + (own?.length ?? 1) - 1 } }));
}

/** Makes the saga of an order stuck, as after a refund that was refused. */
async function stuck(orderId: string): Promise<void> {
  const at = new Date(local.live.now).toISOString();
  const step = 'charge-payment';
  await again('orders', `CreateOrderSaga#${orderId}`, [
    ['SagaFailed', { at, ending: { cause: 'CANCELLED' } }],
    ['CompensationSent', { step, attempt: 1, at, again: at }],
    ['SagaStuck', { step, at, reason: 'REFUND_FAILED' }],
  ]);
  const { documents, services } = await opened();
  const TableName = services.find(({ name }) => name === 'orders')?.table;
  await documents.send(new PutCommand({ TableName, Item: { pk: stuckKey('CreateOrderSaga'), sk: orderId } }));
}

/** Stops a consumer: what is sent to it stays in its queue. */
async function disable(label: string): Promise<void> {
  const lambda = new LambdaClient(endpoint());
  for (const { resource } of local.live.cloud.sources) {
    if (!resource.label.includes(label)) continue;
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID: resource.ref, Enabled: false }));
  }
}

async function asked(...args: readonly string[]) {
  const out: string[] = [];
  // Beside the object, a command that changes something says only where.
  const err = (text: string) => expect(text).toMatch(/^prod at http:\S+$/);
  await run([...args, '--environment', 'prod', '--json'], { out: (text) => out.push(text), err });
  printed.push(`${args.join(' ')}\n${out.join('')}`);
  return JSON.parse(out.join(''));
}

/** A tree of messages has the same objects at each depth. */
const AGAIN = /(?:\.hops\[\]\.followed\[\]|\.others\[\])/g;

/** Removes the data of events, which docs/events.md describes. */
const withoutData = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, one) => (name === 'data' ? {} : one));

const calls: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  status: () => [['status']],
  doctor: () => [['doctor']],
  orders: () => [
    ['orders', '--since', '4d'],
    ['orders', '--since', '4d', '--limit', '1'],
  ],
  order: () => placed.map((id) => ['order', id]),
  audit: () => [
    ['audit', '--since', '1h', '--grace', '0s'],
    ['audit', '--order', placed[0] ?? ''],
  ],
  trace: () => placed.map((id) => ['trace', id]),
  stored: () => [['stored', event, '--consumer', 'orders-saga']],
  'failures list': () => [
    ['failures', 'list'],
    ['failures', 'list', '--limit', '1'],
  ],
  'failures annotate': () => [
    ['failures', 'annotate', cause, '--owner', 'olga', '--ticket', '4711', '--note', 'a test'],
  ],
  'failures groups': () => [['failures', 'groups']],
  'failures show': () => [['failures', 'show', 'inventory-commands', poison.messageId]],
  'consumers pause': () => [
    ['consumers', 'pause', 'orders-list', '--reason', 'a test'],
    ['consumers', 'pause', 'orders-list', '--reason', 'another one'],
  ],
  'consumers list': () => [['consumers', 'list']],
  'consumers resume': () => [
    ['consumers', 'resume', 'orders-list'],
    ['consumers', 'resume', 'orders-list'],
  ],
  'inbox list': () => [['inbox', 'list']],
  'sagas list': () => [['sagas', 'list']],
  'sagas show': () => placed.map((id) => ['sagas', 'show', id]),
  'projections list': () => [['projections', 'list']],
  'projections show': () => [['projections', 'show', 'orders-list']],
  'failures redrive': () => [
    ['failures', 'redrive', 'catalog-commands', refused.messageId, '--dry-run'],
    ['failures', 'redrive', 'catalog-commands', refused.messageId],
  ],
  'failures redrive --cause': () => [
    ['failures', 'redrive', '--cause', cause, '--dry-run'],
    ['failures', 'redrive', '--cause', cause],
  ],
  'failures discard --cause': () => [['failures', 'discard', '--cause', cause, '--reason', 'a test', '--dry-run']],
  'failures redrive --group': () => [
    ['failures', 'redrive', '--group', group, '--dry-run'],
    ['failures', 'redrive', '--group', group],
  ],
  'failures discard --group': () => [['failures', 'discard', '--group', group, '--reason', 'a test', '--dry-run']],
  'sagas retry --group': () => [['sagas', 'retry', '--group', stuckGroup, '--dry-run']],
  'sagas resolve --group': () => [
    ['sagas', 'resolve', '--group', stuckGroup, '--note', 'a test', '--dry-run'],
    ['sagas', 'resolve', '--group', stuckGroup, '--note', 'a test'],
  ],
  'sagas retry': () => [['sagas', 'retry', placed[1] ?? '', '--dry-run']],
  replay: () => [
    ['replay', '--consumer', 'orders-saga', '--aggregate', `Order/${placed[0]}`, '--dry-run'],
    ['replay', '--consumer', 'orders-saga', '--aggregate', `Order/${placed[0]}`],
  ],
  'projections rebuild': () => [['projections', 'rebuild', 'orders-list', '--dry-run']],
  'person export': () => [['person', 'export', 'alice']],
  'person forget': () => [
    ['person', 'forget', 'alice', '--dry-run'],
    ['person', 'forget', 'alice'],
  ],
  'failures discard': () => [
    ['failures', 'discard', 'inventory-commands', poison.messageId, '--reason', 'a test', '--dry-run'],
    ['failures', 'discard', 'inventory-commands', poison.messageId, '--reason', 'a test', '--yes'],
  ],
  'restore plan': () => [
    ['restore', 'plan', 'orders', '--at', instant],
    ['restore', 'plan', 'inventory', '--at', instant],
  ],
  'audit-log': () => [['audit-log']],
  'local status': () => [['local', 'status']],
  'local constructs': () => [['local', 'constructs', 'Inventory/']],
  'local duplicate': () => [['local', 'duplicate', event]],
  errors: () => [
    ['sagas', 'show', 'nobody'],
    ['sagas', 'show'],
  ],
};

/** Commands that print what another one prints: its heading, and the names of their objects if these differ. */
const SAME: Readonly<
  Record<string, { readonly as: string; readonly named?: string; readonly call: () => readonly string[] }>
> = {
  'failures causes': { as: 'failures groups', call: () => ['failures', 'causes'] },
  'inbox show': { as: 'failures show', call: () => ['inbox', 'show', stored.consumer, stored.messageId] },
  'inbox retry': {
    as: 'failures redrive',
    call: () => ['inbox', 'retry', stored.consumer, stored.messageId, '--dry-run'],
  },
  'inbox discard': {
    as: 'failures discard',
    call: () => ['inbox', 'discard', stored.consumer, stored.messageId, '--reason', 'a test', '--dry-run'],
  },
  'sagas resolve': {
    as: 'sagas retry',
    named: 'resolve',
    call: () => ['sagas', 'resolve', placed[3] ?? '', '--note', 'a test', '--dry-run'],
  },
  'local fault': { as: 'local status', call: () => ['local', 'fault', 'Orders/PlaceOrder', 'killed-after'] },
  'local forward': { as: 'local status', call: () => ['local', 'forward', '1s'] },
  'local calm': { as: 'local status', call: () => ['local', 'calm'] },
};

/** Commands whose objects are compared elsewhere, or that print none. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'restore apply': 'test/simulation/restored.test.ts, which restores a service',
  completion: 'it prints a script',
  complete: 'test/operator/cli/completion.test.ts, which calls it as a shell does',
  console: 'test/operator/console/serve-console.test.ts, which ends it as Ctrl-C does',
  'local reset': 'the last test here',
};

/** Routes of the operators' API that answer with the object of a command. */
const ROUTES: Readonly<Record<string, () => string>> = {
  status: () => 'status',
  'failures groups': () => 'failures',
  audit: () => 'audit?since=1h&grace=0s',
  trace: () => `trace/${placed[0]}`,
  orders: () => 'orders?since=4d',
  'audit-log': () => 'audit-log',
};

/** Their commands. What passes in between is left out: times of the answers, and what a sweeper or a relay does all the time. */
const SAME_BY_HTTP: Readonly<Record<string, () => readonly string[]>> = {
  status: () => ['status'],
  'failures groups': () => ['failures', 'groups'],
  trace: () => ['trace', placed[0] ?? ''],
  'audit-log': () => ['audit-log'],
};
const UNSTEADY = /^(?:at|now|sweepers|relays|oldestSeconds|lateSeconds|inFlight|auditedUntil|text)$/;
const steady = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, one) => (UNSTEADY.test(name) ? undefined : one)));

/** A check of a list. Its rows are deleted a minute later, which needs no minute here. */
async function checked(): Promise<unknown> {
  const context = await opened();
  const wait = (seconds: number) => local.live.forward(seconds * 1000);
  const projection = findProjection(listDeployedProjections(context), 'orders-list');
  return (await rebuild(projection, { action: 'check' }, { ...context, wait, stopped: () => false })).json;
}

const differences = (values: readonly unknown[], heading: string, page = PAGE) =>
  differencesBetween(describeShape(values.map(withoutData), AGAIN), documentedShape(page, heading));
const NONE = { missing: [], wrong: [] };

describe('docs/operations/json.md says what --json prints', () => {
  test('every command is documented', () => {
    const said = Object.keys({ ...calls, ...SAME, ...ELSEWHERE });
    expect(ORDERLY.commands.map(({ name }) => name).filter((name) => !said.includes(name))).toEqual([]);
  });

  test.each(Object.keys(ROUTES))('%s, which a route answers with, too', async (name) => {
    const path = `/operations/${ROUTES[name]?.()}`;
    expect(differences([await accepted(local, { method: 'GET', path, as: 'operator' })], name).missing).toEqual([]);
  });

  test.each(Object.entries(SAME))('%s, as of another command', async (name, { as, named, call }) => {
    const root = as.split(' ').at(-1) ?? '';
    const page = named === undefined ? PAGE : PAGE.replaceAll(`    ${root}.`, `    ${named}.`);
    expect(PAGE).toContain(`\`${name.startsWith('local') ? 'local' : name}\``);
    expect(differences([await asked(...call())], as, page)).toEqual(NONE);
  });

  test.each(Object.keys(calls))('%s', async (name) => {
    const values: unknown[] = [];
    for (const words of calls[name]?.() ?? []) values.push(await asked(...words));
    // What it sends has the cloud's time: by this machine's, it would be too old for its consumer.
    expect(JSON.stringify(values)).not.toContain('TooOld');
    if (name === 'projections rebuild') values.push(await checked());
    expect(differences(values, name)).toEqual(NONE);
  });

  test('the documented status has no delay after a forward that skipped it', () => {
    expect(afterForward).toMatchObject({ state: 'healthy', problems: [] });
  });

  test('the HTTP API gives the same numbers and times', async () => {
    for (const [name, words] of Object.entries(SAME_BY_HTTP)) {
      const path = `/operations/${ROUTES[name]?.()}`;
      const byHttp = await accepted(local, { method: 'GET', path, as: 'operator' });
      expect({ name, said: steady(await asked(...words())) }).toEqual({ name, said: steady(byHttp) });
    }
  });

  test('the printed times are never those of the clock of this machine: the cloud is 40 days ahead', () => {
    expect(timesOfMachine(new Date().toISOString())).toHaveLength(1);
    expect(timesOfMachine(newId())).toHaveLength(1);
    for (const text of printed) expect([text.split('\n')[0], ...timesOfMachine(text)]).toEqual([text.split('\n')[0]]);
    expect(timesOfMachine(storedTexts()).filter((one) => !deployed.includes(one))).toEqual([]);
  });

  test('nothing is left after a local reset', async () =>
    expect(differences([await asked('local', 'reset')], 'local status')).toEqual(NONE));
});
