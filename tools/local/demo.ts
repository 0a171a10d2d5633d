import { randomBytes } from 'node:crypto';
import type { StockView } from '../../lambdas/services/inventory/contract.js';
import type { OrderView } from '../../lambdas/services/orders/contract.js';
import { expectFromApi } from './api.js';
import { ConsumerLogs, type Handled } from './consumer-logs.js';
import type { RunningOrderly } from './emulator.js';
import { Events, eventIdOf } from './events.js';
import type { LocalRun } from './local-run.js';
import { type Progress, step, waitUntil } from './progress.js';

/** Which consumers listen to an event, by their pinned names; each of them meets a duplicate of it. */
const LISTENERS: Readonly<Record<string, readonly string[]>> = {
  OrderPlaced: ['reservations', 'orders-list'],
  OrderApproved: ['orders-list'],
  OrderRejected: ['orders-list'],
  StockReserved: ['orders-stock'],
  StockRejected: ['orders-stock'],
};

export interface DemoResult {
  readonly orders: readonly OrderView[];
  readonly stock: readonly { readonly before: StockView; readonly after: StockView; readonly atLast: StockView }[];
  /** Events that were sent a second time, and deliveries of them that changed nothing. */
  readonly resent: number;
  readonly suppressed: number;
}

interface DemoOptions {
  readonly orderly: Pick<RunningOrderly, 'endpoint' | 'deployment'>;
  readonly tokens: LocalRun['tokens'];
  readonly progress: Progress;
}

const ORDERS = 20;
const LIMIT_MS = 90_000;

/**
 * 20 orders over the API for less stock than they ask for, then each of their events a second time straight to the bus.
 * Waits for what must come of it, never for a time.
 * @throws {Error} where it doesn't, with what was missing
 */
export async function runDemo({ orderly, tokens, progress }: DemoOptions): Promise<DemoResult> {
  const { endpoint, deployment } = orderly;
  const { apiUrl } = deployment;
  const run = randomBytes(3).toString('hex');
  const skus = [`TEA-${run}`, `MUG-${run}`, `KETTLE-${run}`] as const;
  const logs = new ConsumerLogs(endpoint, Date.now());
  const events = new Events(endpoint, deployment.outputs);
  const stock = () => Promise.all(skus.map((sku) => expectFromApi<StockView>(apiUrl, `GET /stock/${sku}`, operator)));
  const operator = { token: tokens.operator };

  await step(progress, 'set the stock of 3 SKUs', () =>
    Promise.all(
      [40, 30, 5].map((onHand, at) =>
        expectFromApi(apiUrl, `PUT /stock/${skus[at]}`, { ...operator, body: { onHand } }),
      ),
    ),
  );
  const before = await stock();
  const placed = await step(progress, `place ${ORDERS} orders`, () =>
    Promise.all(
      Array.from({ length: ORDERS }, (_, at) =>
        expectFromApi<OrderView>(apiUrl, 'POST /orders', {
          token: at % 2 ? tokens.bob : tokens.alice,
          key: `demo-${run}-${at}`,
          body: { lines: linesOf(at, skus) },
        }),
      ),
    ),
  );
  const orders = await step(progress, 'wait until each is approved or rejected', async () => {
    const decidedOrders: OrderView[] = [];
    for (const { orderId } of placed) decidedOrders.push(await decided(apiUrl, orderId, tokens.operator));
    return decidedOrders;
  });
  const entries = (await Promise.all(orders.map(({ orderId }) => events.ofOrder(orderId)))).flat();
  const deliveries = entries.flatMap((entry) =>
    (LISTENERS[entry.DetailType] ?? []).map((consumer) => `${consumer} ${eventIdOf(entry)}`),
  );
  const first = await step(progress, `wait until ${entries.length} events are processed`, () =>
    handledTimes(logs, deliveries, 1),
  );
  const after = await stock();
  const handled = await step(progress, `send the same ${entries.length} events again, and wait for them`, async () => {
    await events.send(entries);
    return handledTimes(logs, deliveries, 2);
  });
  if (count(handled, 'applied') > count(first, 'applied')) throw new Error('a duplicate was applied');
  const atLast = await stock();
  return {
    orders,
    stock: before.flatMap((one, at) => {
      const [then, end] = [after[at], atLast[at]];
      return then && end ? [{ before: one, after: then, atLast: end }] : [];
    }),
    resent: entries.length,
    suppressed: count(handled, 'duplicate') - count(first, 'duplicate'),
  };
}

const count = (outcomes: readonly (readonly Handled['outcome'][])[], which: Handled['outcome']): number =>
  outcomes.flat().filter((outcome) => outcome === which).length;

/** Two pieces of tea, sometimes a mug, sometimes a kettle: of those there are too few. */
function linesOf(at: number, [tea, mug, kettle]: readonly [string, string, string]) {
  const euros = (amount: number) => ({ amount, currency: 'EUR' });
  return [
    { sku: tea, quantity: 2, unitPrice: euros(350) },
    ...(at % 3 === 0 ? [{ sku: mug, quantity: 1, unitPrice: euros(900) }] : []),
    ...(at % 2 === 0 ? [{ sku: kettle, quantity: 1, unitPrice: euros(4900) }] : []),
  ];
}

function decided(apiUrl: string, orderId: string, token: string): Promise<OrderView> {
  return waitUntil(
    async () => {
      const order = await expectFromApi<OrderView>(apiUrl, `GET /orders/${orderId}`, { token });
      return order.status === 'PENDING' ? undefined : order;
    },
    { limitMs: LIMIT_MS, everyMs: 250, missing: () => `order ${orderId} is still PENDING` },
  );
}

/** Outcomes of each delivery (`<consumer> <event id>`), once every one of them was handled so often. */
function handledTimes(
  logs: ConsumerLogs,
  deliveries: readonly string[],
  times: number,
): Promise<readonly (readonly Handled['outcome'][])[]> {
  let open: readonly string[] = deliveries;
  return waitUntil(
    async () => {
      const outcomesOf = new Map<string, Handled['outcome'][]>(deliveries.map((delivery) => [delivery, []]));
      for (const { consumer, eventId, outcome } of await logs.handled()) {
        outcomesOf.get(`${consumer} ${eventId}`)?.push(outcome);
      }
      open = [...outcomesOf].flatMap(([delivery, outcomes]) => (outcomes.length < times ? [delivery] : []));
      return open.length ? undefined : [...outcomesOf.values()];
    },
    {
      limitMs: LIMIT_MS,
      everyMs: 300,
      missing: () => `${open.length} deliveries are not in the consumers' logs ${times} times, as ${open[0]}`,
    },
  );
}
