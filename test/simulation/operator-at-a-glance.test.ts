import { LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientConfig } from '../../packages/operator/deployment/endpoint.js';
import type { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import { run } from '../../tools/operator/command-line.js';
import { accepted, beginLocalCloud, endLocalCloud } from '../support/simulation/at-local-cloud.js';
import type { Call } from '../support/simulation/orderly.js';
import { orderOf, productOf } from './scenarios/shop.js';

let local: LocalCloud;
beforeAll(async () => {
  local = await beginLocalCloud();
});
afterAll(() => endLocalCloud(local));

const call = (one: Call) => accepted(local, one);

async function orderly(...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run([...args, '--environment', 'prod'], {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
  });
  return { code, text: out.join('\n'), err: err.join('\n') };
}
const status = () => orderly('status');

const asked = async (...args: readonly string[]) => {
  const { code, text } = await orderly(...args, '--json');
  return { code, found: JSON.parse(text) };
};

/** Ids of the orders that were placed. */
const placed: string[] = [];

/** Sends through the protocols of AWS, as a tool would. */
const endpoint = () => clientConfig({ url: local.url, region: 'eu-west-1' });
const queueNamed = (label: string) => local.live.cloud.queue(label).resource.ref;
const send = (label: string, MessageBody: string) =>
  new SQSClient(endpoint()).send(new SendMessageCommand({ QueueUrl: queueNamed(label), MessageBody }));

/** Asks the local cloud for faults, or for their end. */
async function control(command: 'fault' | 'calm', asked: object): Promise<void> {
  const response = await fetch(`${local.url}/_local/${command}`, { method: 'POST', body: JSON.stringify(asked) });
  expect(response.status, await response.text()).toBe(200);
}

describe('orderly status of a local cloud', () => {
  test('the status is healthy if orders go through, and counts them', async () => {
    await call(productOf('TEA-1'));
    await call({ method: 'PUT', path: '/stock/TEA-1', as: 'operator', body: { onHand: 1 } });
    placed.push((await call(orderOf('alice', 'first', ['TEA-1']))).orderId ?? '');
    await local.live.forward(60_000);
    placed.push((await call(orderOf('alice', 'second', ['TEA-1']))).orderId ?? '');
    await local.live.forward(60_000);
    const { code, found } = await asked('status');
    expect(found.problems).toEqual([]);
    expect(code).toBe(0);
    expect(found.orders).toMatchObject({ placed: 2, read: 2, approved: 1, rejected: 1, cancelled: 0, open: 0 });
    expect(found.orders.approvedAfter.p50).toBeGreaterThan(0);
    expect(found.consumers.map(({ consumer }: { consumer: string }) => consumer)).toContain('orders-saga');
    expect(found.relays).toHaveLength(9);
    expect(found.sweepers.every(({ lastTick }: { lastTick?: string }) => lastTick !== undefined)).toBe(true);
    expect(found.deadLetters.queues).toBeGreaterThan(30);
    expect(found.alarms.active).toEqual([]);
    expect(found.alarms.total).toBeGreaterThan(80);
    expect((await status()).text).toMatch(
      /^HEALTHY\n\norders +2 orders in the last hour, 0\.0 a minute: 1 approved, 1 rejected, 0 cancelled, 0 in progress\n/,
    );
  });

  test('a consumer that dies in each call is named within a minute, with its error and when it gives up', async () => {
    await control('fault', { owner: 'Inventory/OnCommands', kind: 'crashed', next: 3000 });
    placed.push((await call(orderOf('alice', 'third', ['TEA-1']))).orderId ?? '');
    await local.live.forward(30_000);
    const { code, found } = await asked('status');
    expect(code).toBe(1);
    expect(found.problems).toMatchObject([{ code: 'failing', page: expect.stringContaining('FunctionFailing') }]);
    expect(found.problems[0].text).toMatch(
      /^inventory-commands \(inventory\/on-command\) fails in .*: Runtime\.ExitError; the oldest message waits for .* and is given up in at most /,
    );
    expect(found.failing).toMatchObject([{ service: 'inventory', kind: 'consumer', consumer: 'inventory-commands' }]);
    expect(found.failing[0].failed).toBe(found.failing[0].inARow);
    await control('calm', {});
    await local.live.forward(300_000);
    const after = (await asked('status')).found;
    expect(after.problems).toEqual([]);
    expect(after.failing).toMatchObject([{ entry: 'inventory/on-command', failed: expect.any(Number) }]);
    expect(after.failing[0]).not.toHaveProperty('failingSince');
  });

  test('a relay that the bus refuses is named with the error of the bus', async () => {
    await control('fault', { owner: 'Orders/Outbox/Relay', kind: 'refused-for-long', next: 20 });
    placed.push((await call(orderOf('alice', 'fourth', ['TEA-1']))).orderId ?? '');
    await local.live.forward(90_000);
    expect((await status()).text).toMatch(
      /^NOT HEALTHY: the relay of orders fails in .*: publish failed: ThrottlingException.*, at [\s\S]*\norders\/relay +\d+ +\d+ /,
    );
    await control('calm', {});
    await local.live.forward(900_000);
    expect((await asked('status')).found.problems).toEqual([]);
  });

  test('a paused consumer gets nothing, is no finding of doctor, and is said to be paused everywhere until it is resumed', async () => {
    const { code, text } = await orderly('consumers', 'pause', 'inventory-commands', '--reason', 'it counts wrong');
    expect(code).toBe(0);
    expect(text).toMatch(/^inventory-commands: paused by .*: it counts wrong\nIts messages wait for at most 7 days; /);
    placed.push((await call(orderOf('alice', 'fifth', ['TEA-1']))).orderId ?? '');
    const before = local.live.cloud.fn('Inventory/OnCommands').invocations;
    // Less than a minute: then the saga sends its command once more.
    await local.live.forward(15_000);
    expect(local.live.cloud.fn('Inventory/OnCommands').invocations).toBe(before);
    const { found } = await asked('status');
    expect(found.problems).toEqual([]);
    const named = (rows: readonly { consumer: string }[]) => rows.find((one) => one.consumer === 'inventory-commands');
    expect(named(found.consumers)).toMatchObject({ pending: 1, paused: { reason: 'it counts wrong' } });
    expect((await status()).text).toMatch(
      /\npaused +inventory-commands since \d+ s, 1 waiting \(.*: it counts wrong\)\n/,
    );
    expect(named((await asked('consumers', 'list')).found.consumers)).toMatchObject({ state: 'paused', waiting: 1 });
    const doctor = (await asked('doctor')).found;
    expect([doctor.findings, doctor.paused]).toMatchObject([[], [{ consumer: 'inventory-commands' }]]);
    expect((await orderly('consumers', 'resume', 'inventory-commands')).text).toMatch(
      /: resumed; 1 message waits for it/,
    );
    await local.live.forward(60_000);
    expect(local.live.cloud.fn('Inventory/OnCommands').invocations).toBeGreaterThan(before);
    const after = (await asked('consumers', 'list')).found.consumers;
    expect(named(after)).toMatchObject({ state: 'running', waiting: 0 });
    const { actions } = (await asked('audit-log')).found;
    expect(actions.map(({ action, result }: { action: string; result: string }) => [action, result])).toEqual([
      ['resume', 'resumed'],
      ['pause', 'paused'],
    ]);
  });

  test('names failures, and what waits in a dead-letter queue without a drain', async () => {
    await send('Inventory/Commands/Queue', 'poison');
    await local.live.forward(60_000);
    expect((await status()).text).toMatch(
      /^NOT HEALTHY: 1 message failed \(inventory-commands\)\. Next: .* failures groups --consumer inventory-commands\n/,
    );
    const drain = local.live.cloud.sources.find(({ resource }) =>
      resource.label.includes('Inventory/Commands/DrainDeadLetters'),
    );
    const lambda = new LambdaClient(endpoint());
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID: drain?.resource.ref, Enabled: false }));
    await send('Inventory/Commands/DeadLetters', 'poison');
    const { code, found } = await asked('status');
    expect(code).toBe(1);
    expect(found.problems.map(({ code }: { code: string }) => code)).toEqual(['failures', 'dead-letters']);
    expect(found.deadLetters.filled).toMatchObject([{ messages: 1, oldestSeconds: expect.any(Number) }]);
  });

  test('shows no frames without a terminal', async () => {
    const { code, err } = await orderly('status', '--watch');
    expect(code).toBe(2);
    expect(err).toContain('--watch needs a terminal');
  });
});

describe('orderly doctor of a local cloud', () => {
  test('finds the mapping that was disabled, and the dead letters behind it', async () => {
    const { code, found } = await asked('doctor');
    expect(found.findings.map(({ check }: { check: string }) => check).toSorted()).toEqual(['dead-letters', 'mapping']);
    expect(found.checked).toHaveLength(8);
    expect(found.unchecked).toEqual([
      { check: 'subscriptions to alarms', why: 'no SNS at this place' },
      { check: 'your permissions', why: 'an emulator has no permissions of people' },
    ]);
    expect(found.denied).toEqual([]);
    expect(code).toBe(1);
    expect((await orderly('doctor')).text).toMatch(
      /^2 findings\n[\s\S]*is 'Disabled': its function gets nothing\n +aws lambda update-event-source-mapping --enabled --uuid /,
    );
  });
});

describe('orderly restore plan of a local cloud', () => {
  test('names what orders would forget since the newest order, its tables and its steps', async () => {
    const newest = placed.at(-1) ?? '';
    const { order } = (await asked('order', newest)).found;
    const at = String(order.placedAt);
    // The newest time to which a table can be restored is five minutes ago.
    await local.live.forward(300_000);
    const { code, found } = await asked('restore', 'plan', 'orders', '--at', at.replace(/\.\d+Z$/, 'Z'));
    expect(code).toBe(0);
    const { possible, epoch, forgotten, tables, functions } = found.restorePlan;
    expect({ possible, epoch }).toEqual({ possible: true, epoch: { before: 0, after: 1 } });
    expect(tables.map(({ holds }: { holds: string }) => holds)).toEqual(['commits', 'records']);
    expect(forgotten.subjects.toSorted()).toEqual([`CreateOrderSaga/${newest}`, `Order/${newest}`]);
    expect(forgotten.heardBy.map(({ consumer }: { consumer: string }) => consumer)).toContain('inventory-commands');
    expect(functions.find(({ name }: { name: string }) => name.includes('OnSaga'))).toMatchObject({ reserved: 50 });
  });
});

describe('orderly trace of a local cloud', () => {
  test('shows what followed from an order, the verdict first', async () => {
    const { code, text } = await orderly('trace', placed[0] ?? '');
    expect(code).toBe(0);
    expect(text).toMatch(
      /^complete: .*nothing twice.*\norder \w{32}: APPROVED, 1 line, placed \S+\ndelivered \d+ times: .*; done twice 0\n\ncaused by /,
    );
    expect(text).toMatch(/\nOrderPlaced {2}Order 1 {2}\+0 ms {2}\w{8}\n/);
    expect(text).toMatch(/├─ orders-saga: processed .*\n│ {2}├─ SagaStarted/);
    expect(text).toMatch(/ReserveStock to inventory .*\n[ │]*└─ inventory-commands: processed /);
    expect(text).not.toContain('alice');
  });

  test('finds an event, a command and a request by their ids, and shows what followed from each', async () => {
    const { found: order } = await asked('order', placed[0] ?? '');
    const named = (type: string) => order.events.find((event: { type: string }) => event.type === type);
    const { found: event } = await asked('trace', named('StockReserved').id);
    expect(event.verdict.state).toBe('complete');
    expect(event.roots).toMatchObject([
      { type: 'StockReserved', hops: [{ consumer: 'orders-saga', state: 'processed' }] },
    ]);
    expect((await asked('trace', named('ReserveStock').id)).found.roots).toMatchObject([{ type: 'ReserveStock' }]);
    const { found: request, code } = await asked('trace', named('OrderPlaced').correlationId);
    expect(code).toBe(0);
    expect(request.roots[0]).toMatchObject({ type: 'OrderPlaced' });
    expect(request.events).toBeGreaterThan(event.events);
  });

  test('finds what is no order, too', async () => {
    const product = local.live.cloud
      .listItems('Catalog/Outbox/Table')
      .find(({ pk, events }) => !String(pk).startsWith('PriceCheck#') && Array.isArray(events));
    const [event] = (product?.events ?? []) as readonly { readonly id: string; readonly type: string }[];
    const { found } = await asked('trace', event?.id ?? '');
    expect(found.roots).toMatchObject([{ type: event?.type }]);
  });

  test('says where it has searched', async () => {
    const { code, err } = await orderly('trace', '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10');
    expect(code).toBe(1);
    expect(err).toMatch(/was found around 2025-/);
    expect((await orderly('trace', 'mine', '--since', '90s')).err).toContain('since the time of --since');
    expect((await orderly('trace', 'mine', '--since', 'soon')).code).toBe(2);
  });
});
