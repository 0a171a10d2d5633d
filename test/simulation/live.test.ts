import { afterAll, expect, test } from 'vitest';
import type { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import type { Violation } from '../../packages/simulator/search/scenario.js';
import type { NextWorkAt } from '../../packages/simulator/services/events/schedules.js';
import { beginLocalCloud, endLocalCloud, request } from '../support/simulation/at-local-cloud.js';
import { type Call, Orderly } from '../support/simulation/orderly.js';
import { brokenPromises } from './invariants/broken-promises.js';
import { ONE_FAILURE } from './invariants/failures.js';
import { cancellationOf, DAY, orderOf, productOf } from './scenarios/shop.js';

const ORDERS = 20;
/** Customers at once. */
const AT_ONCE = 5;
const SKUS = ['TEA-1', 'CUP-1', 'POT-1'] as const;

const begun: LocalCloud[] = [];
afterAll(() => Promise.all(begun.map(endLocalCloud)));

/** Whether answers of one step have failed, each by itself. An answer that is given again is an event of its own, and no command. */
const areAnswers = ({ invariant, detail }: Violation): boolean =>
  invariant === ONE_FAILURE && / SagaReplyRequested /.test(detail);

test(`${ORDERS} orders over HTTP by the real clock, with a fault at every tenth chance, break no promise`, async () => {
  let due: NextWorkAt = () => undefined;
  const nextWorkAt = (): NextWorkAt => (rule) => due(rule);
  const local = await beginLocalCloud({ historyLimit: 1_000_000, nextWorkAt });
  begun.push(local);
  const { live } = local;
  const orderly = new Orderly(live.cloud, ['rewards', 'reports']);
  due = live.cloud.events.schedules.nextWorkAt ?? due;

  /** Many may wait at once: time passes once for all of them. */
  let passing: Promise<void> | undefined;
  const pause = (): Promise<void> => {
    passing ??= live.forward(35_000).finally(() => {
      passing = undefined;
    });
    return passing;
  };
  /** A client that asks again until the answer is final, as a well-behaved one does. */
  const call = async (one: Call): Promise<Record<string, unknown>> => {
    for (let tries = 1; ; tries++) {
      const response = await request(local, one);
      const answer = (await response.json()) as Record<string, unknown>;
      const { status } = response;
      if (status < 500 && status !== 429 && !response.headers.has('retry-after')) {
        orderly.answered.push({
          ...one,
          tries,
          reply: { status, body: answer, headers: Object.fromEntries(response.headers) },
        });
        return answer;
      }
      if (tries === 100)
        throw new Error(`no final answer to ${one.method} ${one.path}: ${status} ${JSON.stringify(answer)}`);
      await pause();
    }
  };
  for (const sku of SKUS) {
    await call(productOf(sku));
    await call({
      method: 'PUT',
      path: `/stock/${sku}`,
      as: 'operator',
      body: { onHand: sku === 'POT-1' ? 1_000 : 60 },
    });
  }

  live.injectFault('*', 'any', { every: 10, next: 1_000_000 });
  let next = 0;
  const customer = async (): Promise<void> => {
    for (let number = next++; number < ORDERS; number = next++) {
      const as = `customer-${number % 25}`;
      const order = orderOf(as, `order-${number}`, [SKUS[number % 3] ?? 'TEA-1'], 1 + (number % 2));
      const { orderId } = await call(order);
      if (number % 4 === 0) await call(order);
      if (number % 10 === 0) await call(cancellationOf(as, orderId, `cancel-${number}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, customer));
  const faults = live.pendingFaults.map(({ passed }) => passed / 10);
  live.clearFaults();
  // Longer than EventBridge tries, and than a late duplicate takes.
  await live.forward(7 * DAY);

  expect(faults[0]).toBeGreaterThan(ORDERS);
  // What is throttled at each of its deliveries becomes a failure that an operator sees, and redrives.
  const broken = brokenPromises(orderly, ({ status }) => status === 'FAILED');
  expect(broken.filter((one) => !areAnswers(one))).toEqual([]);
});
