import { beforeEach, describe, expect, test } from 'vitest';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import type { ApiResponse } from '../../packages/simulator/services/apigateway/messages.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { token } from '../support/simulation/issuer.js';
import { Orderly } from '../support/simulation/orderly.js';
import { orderOf, stocked } from './scenarios/shop.js';

/** Tests of `GET /orders/{orderId}` that wait for a decision, in virtual time. */

const deployment = loadSharedDeployment(prodAssembly());
let cloud: Cloud;
let orderly: Orderly;

beforeEach(async () => {
  cloud = new Cloud(deployment, { seed: 'waits' });
  orderly = new Orderly(cloud);
  await stocked(orderly, { 'TEA-1': 5 });
});

interface Read {
  answer?: ApiResponse;
  /** Milliseconds until the answer. */
  took?: number;
}

/** Sends a read of an order; the answer comes when time has passed. */
function read(orderId: string, headers: Readonly<Record<string, string>> = {}): Read {
  const began = cloud.world.now;
  const sent: Read = {};
  const Authorization = `Bearer ${token('alice', 'customer', began)}`;
  cloud.apis[0]!.request(
    { method: 'GET', path: `/orders/${orderId}`, headers: { Authorization, ...headers } },
    (answer) => {
      sent.answer = answer;
      sent.took = cloud.world.now - began;
    },
  );
  return sent;
}
async function answered(...reads: readonly Read[]): Promise<void> {
  await cloud.world.until(() => reads.every(({ answer }) => answer !== undefined));
}
const statusOf = ({ answer }: Read): unknown => (JSON.parse(answer?.body ?? '{}') as { status?: unknown }).status;

async function place(): Promise<string> {
  const { reply } = await orderly.call(orderOf('alice', 'place', ['TEA-1']));
  return String(reply.body.orderId);
}
/** Writes of places among the waits. */
const slotWrites = () =>
  cloud.tableCalls.filter(({ effects }) => effects.changes.some((change) => JSON.stringify(change).includes('wait#')));

test('a wait ends as soon as the order is decided, and an order that is decided is not waited for', async () => {
  const orderId = await place();
  const waiting = read(orderId, { Prefer: 'wait=20' });
  await answered(waiting);
  expect(waiting.answer).toMatchObject({ status: 200, headers: { 'preference-applied': 'wait=20' } });
  expect(statusOf(waiting)).toBe('APPROVED');
  expect(waiting.answer?.headers).not.toHaveProperty('retry-after');
  expect(waiting.took).toBeLessThan(15_000);
  const written = slotWrites().length;
  expect(written).toBe(2);

  const again = read(orderId, { Prefer: 'wait=20' });
  await answered(again);
  expect(again.answer?.headers).not.toHaveProperty('preference-applied');
  expect(slotWrites()).toHaveLength(written);

  const { etag = '' } = again.answer?.headers ?? {};
  const same = read(orderId, { 'If-None-Match': etag });
  await answered(same);
  expect(same.answer).toMatchObject({ status: 304, body: '', headers: { etag } });
});

describe('while an order is not decided', () => {
  let orderId = '';
  beforeEach(async () => {
    cloud.fn('Orders/OnSaga').failsUntil = Number.POSITIVE_INFINITY;
    orderId = await place();
  });

  test('three requests of a caller wait for 20 seconds, and a fourth one is answered at once', async () => {
    const waiting = ['a', 'b', 'c'].map(() => read(orderId, { Prefer: 'wait=3600' }));
    await cloud.world.pass(3_000);
    const fourth = read(orderId, { Prefer: 'wait=20' });
    await answered(fourth);
    expect(fourth.took).toBeLessThan(2_000);
    expect(statusOf(fourth)).toBe('PENDING');
    expect(fourth.answer?.headers).not.toHaveProperty('preference-applied');
    expect(Number(fourth.answer?.headers['retry-after'])).toBeGreaterThan(0);
    expect(waiting.map(({ answer }) => answer)).toEqual([undefined, undefined, undefined]);

    await answered(...waiting);
    for (const one of waiting) {
      expect(one.answer).toMatchObject({ status: 200, headers: { 'preference-applied': 'wait=20' } });
      expect(statusOf(one)).toBe('PENDING');
      expect(one.took).toBeGreaterThanOrEqual(20_000);
      // The gateway ends a request after 29 seconds.
      expect(one.took).toBeLessThan(25_000);
    }
    const free = read(orderId, { Prefer: 'wait=1' });
    await answered(free);
    expect(free.answer?.headers).toMatchObject({ 'preference-applied': 'wait=1' });
  });

  test('an order of more than a minute is not waited for, nor is its past', async () => {
    const past = read(`${orderId}?version=1`, { Prefer: 'wait=20' });
    await answered(past);
    expect(past.answer?.headers).not.toHaveProperty('preference-applied');
    await cloud.world.pass(61_000);
    const late = read(orderId, { Prefer: 'wait=20' });
    await answered(late);
    expect(late.took).toBeLessThan(2_000);
    expect(late.answer?.headers).toMatchObject({ 'retry-after': '30' });
    expect(late.answer?.headers).not.toHaveProperty('preference-applied');
    expect(slotWrites()).toEqual([]);
  });
});
