import { readFileSync } from 'node:fs';
import { LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientConfig } from '../../packages/kit/operator/endpoint.js';
import { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import { run } from '../../tools/operator/command-line.js';
import { differencesBetween, documentedShape, shapeOf } from '../support/json-shape.js';
import { orderOf, productOf } from './scenarios/shop.js';
import { prodAssembly } from './support/assembly.js';
import { token } from './support/issuer.js';
import type { Call } from './support/orderly.js';

const PAGE = readFileSync('docs/operations/json.md', 'utf8');

let local: LocalCloud;
const before = process.env.ORDERLY_ENDPOINT;
afterAll(async () => {
  if (before === undefined) delete process.env.ORDERLY_ENDPOINT;
  else process.env.ORDERLY_ENDPOINT = before;
  await local.stop();
});

/** Orders: one that went through, and one whose saga waits for its reservation. */
const placed: string[] = [];
/** Time before the second order, in whole seconds. */
let instant = '';
/** A message that nobody can read. */
let poison: { readonly messageId: string };

beforeAll(async () => {
  local = await LocalCloud.start({ folder: prodAssembly(), says: () => undefined });
  process.env.ORDERLY_ENDPOINT = local.url;
  await call(productOf('TEA-1'));
  await call({ method: 'PUT', path: '/stock/TEA-1', as: 'operator', body: { onHand: 9 } });
  placed.push((await call(orderOf('alice', 'first', ['TEA-1']))).orderId ?? '');
  await local.live.forward(60_000);
  await send('Inventory/Commands/Queue', 'poison');
  await send('Inventory/Commands/Queue', 'another');
  await local.live.forward(60_000);
  await disable('Inventory/OnCommands/');
  instant = new Date(local.live.now).toISOString().replace(/\.\d+Z$/, 'Z');
  placed.push((await call(orderOf('bob', 'second', ['TEA-1']))).orderId ?? '');
  await local.live.forward(300_000);
  [poison] = (await asked('failures', 'list')).failures;
});

async function call({ method, path, as, body, key }: Call) {
  const response = await fetch(`${local.url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token(as, as === 'operator' ? 'operator' : 'customer', local.live.now)}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as Record<string, string>;
}

const endpoint = () => clientConfig({ url: local.url, region: 'eu-west-1' });
const send = (label: string, MessageBody: string) =>
  new SQSClient(endpoint()).send(
    new SendMessageCommand({ QueueUrl: local.live.cloud.queue(label).resource.ref, MessageBody }),
  );

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
  await run([...args, '--environment', 'prod', '--json'], { out: (text) => out.push(text), err: () => expect.fail() });
  return JSON.parse(out.join(''));
}

/** A tree of messages has the same objects at each depth. */
const AGAIN = /(?:\.hops\[\]\.followed\[\]|\.others\[\])/g;

const calls: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  status: () => [['status']],
  doctor: () => [['doctor']],
  order: () => placed.map((id) => ['order', id]),
  audit: () => [
    ['audit', '--since', '1h', '--grace', '0s'],
    ['audit', '--order', placed[0] ?? ''],
  ],
  trace: () => placed.map((id) => ['trace', id]),
  'failures list': () => [
    ['failures', 'list'],
    ['failures', 'list', '--limit', '1'],
  ],
  'failures groups': () => [['failures', 'groups']],
  'failures show': () => [['failures', 'show', 'inventory-commands', poison.messageId]],
  'inbox list': () => [['inbox', 'list']],
  'sagas list': () => [['sagas', 'list']],
  'sagas show': () => placed.map((id) => ['sagas', 'show', id]),
  'projections list': () => [['projections', 'list']],
  'projections show': () => [['projections', 'show', 'orders-list']],
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
  errors: () => [
    ['sagas', 'show', 'nobody'],
    ['sagas', 'show'],
  ],
};

describe('docs/operations/json.md says what --json prints of', () => {
  test.each(Object.keys(calls))('%s', async (name) => {
    const values: unknown[] = [];
    for (const words of calls[name]?.() ?? []) values.push(await asked(...words));
    const found = differencesBetween(shapeOf(values, AGAIN), documentedShape(PAGE, name));
    expect(found).toEqual({ missing: [], wrong: [] });
  });
});
