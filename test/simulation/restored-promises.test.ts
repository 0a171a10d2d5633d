import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import type { NextWorkAt } from '../../packages/simulator/services/events/schedules.js';
import { run } from '../../tools/operator/command-line.js';
import { beginLocalCloud, endLocalCloud, request } from '../support/simulation/at-local-cloud.js';
import { token } from '../support/simulation/issuer.js';
import { type Call, Orderly } from '../support/simulation/orderly.js';
import { raiseEpoch } from '../support/simulation/restorer.js';
import { Restoring } from '../support/simulation/restoring.js';
import { brokenPromises } from './invariants/broken-promises.js';
import { DAY, orderOf, productOf } from './scenarios/shop.js';

/** Orders are placed before, while and after the catalogue goes back to an instant: every promise holds at the end. */

let local: LocalCloud;
let orderly: Orderly;
let due: NextWorkAt = () => undefined;
beforeAll(async () => {
  const nextWorkAt = (): NextWorkAt => (rule) => due(rule);
  local = await beginLocalCloud({ historyLimit: 1_000_000, nextWorkAt });
  orderly = new Orderly(local.live.cloud, ['rewards', 'reports']);
  due = local.live.cloud.events.schedules.nextWorkAt ?? due;
});
afterAll(() => endLocalCloud(local));

/** Calls as a client that asks until its answer is final. */
async function call(one: Call) {
  const response = await request(local, one);
  const answer = (await response.json()) as Record<string, string>;
  expect(response.status, one.path).toBeLessThan(300);
  orderly.answered.push({
    ...one,
    tries: 1,
    reply: { status: response.status, body: answer, headers: Object.fromEntries(response.headers) },
  });
  return answer;
}

const orders: string[] = [];
async function ordered(count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const { orderId = '' } = await call(orderOf('alice', `order-${orders.length}`, ['TEA-1']));
    orders.push(orderId);
  }
}
const statusOf = async (orderId: string) => {
  const response = await fetch(`${local.url}/v1/orders/${orderId}`, {
    headers: { authorization: `Bearer ${token('alice', 'customer', local.live.now)}` },
  });
  return ((await response.json()) as { status: string }).status;
};

async function resend(from: string): Promise<string> {
  const out: string[] = [];
  const words = ['audit', '--from', from, '--consumer', 'catalog-commands', '--resend', '--environment', 'prod'];
  await run(words, { out: (text) => out.push(text), err: () => undefined });
  return out.join('');
}

test('a restore breaks no promise and loses no order', async () => {
  await call(productOf('TEA-1'));
  await call({ method: 'PUT', path: '/stock/TEA-1', as: 'operator', body: { onHand: 100 } });
  await ordered(3);
  await local.live.forward(120_000);
  const at = new Date(Math.floor(local.live.now / 1000) * 1000).toISOString();
  await local.live.forward(2_000);
  // The catalogue forgets that it has answered these.
  await ordered(3);
  const forgotten = orders.slice(3);
  await local.live.forward(360_000);

  const restoring = new Restoring(local);
  let placed = 0;
  const first = await restoring.applyInSpiteOfDeaths({ at }, async ({ change }) => {
    // Clients go on: what they want waits for the catalogue.
    if (change.name.includes('concurrency') && placed++ < 3) await ordered(1);
    return false;
  });
  expect(first.result.state).toBe('deploy');
  raiseEpoch(local.live.cloud, 'catalog');
  restoring.stackEpoch = 1;
  expect((await restoring.applyInSpiteOfDeaths({ at, deleteCopies: true })).result.state).toBe('done');
  await ordered(3);
  // Longer than the audit's grace time.
  await local.live.forward(10 * 60_000);
  await local.live.forward(10 * 60_000);
  // The catalogue has no record any more of three commands of sagas that have gone on.
  expect(await resend(new Date(Date.parse(at) - 3_600_000).toISOString())).toMatch(/^3 deliveries are missing/);
  await local.live.forward(7 * DAY);
  expect(new Set(await Promise.all(orders.map(statusOf)))).toEqual(new Set(['APPROVED']));
  const broken = brokenPromises(orderly);
  // A version of what was forgotten comes again: in the next epoch.
  const again = broken.filter(({ invariant }) => invariant === 'commits are gapless');
  expect(new Set(again.map(({ about }) => about))).toEqual(new Set(forgotten));
  expect(broken.filter((one) => !again.includes(one))).toEqual([]);
});
