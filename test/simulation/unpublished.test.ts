import { expect, test, vi } from 'vitest';
import type * as z from 'zod/mini';
import type { TraceView } from '../../lambdas/operations/contract.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { FixedFaults } from '../../packages/simulator/engine/faults.js';
import { showOrder } from '../../tools/operator/order.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { holdMessages } from '../support/simulation/holding.js';
import { createAttemptReader, createDocumentClient, createRelayReader } from '../support/simulation/operator.js';
import { Orderly } from '../support/simulation/orderly.js';
import { orderOf, stocked } from './scenarios/shop.js';

/** The bus refuses the calls of orders' relay for 30 seconds, from the first one on. */
const REFUSED = { point: 'Orders/Outbox/Relay call 1', kind: 'refused-for-long' } as const;

function shop(faults: readonly (typeof REFUSED)[]) {
  const cloud = new Cloud(loadSharedDeployment(prodAssembly()), {
    seed: 'unpublished',
    faults: new FixedFaults(faults),
  });
  const orderly = new Orderly(cloud, [], false);
  const asOf = async <T>(work: () => Promise<T>): Promise<T> => {
    vi.useFakeTimers({ toFake: ['Date'], now: cloud.world.now });
    return work().finally(() => vi.useRealTimers());
  };
  /** `orderly order`, and what it says of the event by which the order was placed. */
  const order = (orderId: string) =>
    asOf(async () => {
      const context = {
        app: 'orderly',
        environment: 'prod',
        documents: createDocumentClient(cloud),
        clock: { now: () => new Date(cloud.world.now).toISOString() },
        services: orderly.services,
        endpoint: { url: undefined, region: 'eu-west-1' },
      };
      const request = { orderId, payload: false, verbose: false };
      const { text, json } = await showOrder(context, request, createRelayReader(cloud), createAttemptReader(cloud));
      const { events } = json as { events: readonly { type: string; publication?: { state: string } }[] };
      return { text, placed: events.find(({ type }) => type === 'OrderPlaced')?.publication };
    });
  /** GET /operations/trace/{id}. */
  const trace = async (orderId: string) => {
    const { reply } = await orderly.call({ method: 'GET', path: `/operations/trace/${orderId}`, as: 'operator' });
    expect(reply.status, JSON.stringify(reply)).toBe(200);
    return reply.body as unknown as z.infer<typeof TraceView>;
  };
  const place = async () => {
    const { reply } = await orderly.call(orderOf('alice', 'place', ['TEA-1']));
    return String(reply.body.orderId);
  };
  return { cloud, orderly, order, trace, place };
}

test('an order waits for its relay while the bus refuses it; afterwards its event is published', async () => {
  const { cloud, orderly, order, trace, place } = shop([REFUSED]);
  await stocked(orderly, { 'TEA-1': 5 });
  const orderId = await place();
  await cloud.world.pass(20_000);
  const { text, placed } = await order(orderId);
  expect(placed).toMatchObject({ state: 'waiting' });
  expect(text).toMatch(
    /^pending: OrderPlaced is not published: it waits for the relay, which is up to (19|2\d) s behind\n/,
  );
  expect(text).toMatch(/\n {4}not published: it waits for the relay, .*\n {4}-> baskets-orders +pending\n/);
  const { verdict, roots } = await trace(orderId);
  expect(verdict).toMatchObject({
    state: 'pending',
    text: expect.stringMatching(/^pending: OrderPlaced is not published/),
  });
  expect(roots[0]?.publication).toMatchObject({ state: 'waiting' });

  await orderly.rest();
  const after = await order(orderId);
  expect(after.text).toMatch(/^complete: /);
  expect(after.placed).toBeUndefined();
});

test('a message is published while its consumer is down: the relay has read past it', async () => {
  const { cloud, orderly, order, trace, place } = shop([]);
  await stocked(orderly, { 'TEA-1': 5 });
  const held = ['orders-saga', 'orders-list', 'baskets-orders'].map((consumer) =>
    holdMessages(orderly, consumer, 'OrderPlaced'),
  );
  const orderId = await place();
  await cloud.world.pass(1_000);
  // The relay's metric is that of a whole minute.
  expect((await order(orderId)).placed).toMatchObject({ state: 'unknown' });
  await cloud.world.pass(120_000);
  const { text, placed } = await order(orderId);
  expect(placed).toMatchObject({ state: 'published' });
  expect(text).toMatch(/^pending: [a-z-]+ of OrderPlaced, for 2 min/);
  expect(text).toMatch(
    /\n {4}published: the relay has read past it \(not behind at \S+\)\n {4}-> baskets-orders +pending\n/,
  );
  expect((await trace(orderId)).roots[0]?.publication).toMatchObject({ state: 'published' });
  for (const { letGo } of held) letGo();
  await orderly.rest();
});
