import { randomBytes } from 'node:crypto';
import { currentTime } from '@orderly/operator';
import type { StockView } from '../../lambdas/inventory/contract.js';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { expectFromApi } from './api.js';
import { ConsumerLogs, type Handled } from './consumer-logs.js';
import type { RunningOrderly } from './emulator.js';
import { Events, eventIdOf, type OrderOnBus } from './events.js';
import type { LocalRun } from './local-run.js';
import { type Progress, runStep, waitUntil } from './progress.js';
import { type Article, awaitDecision, euros, openShop } from './shop.js';

export interface DemoResult {
  readonly orders: readonly OrderView[];
  readonly stock: readonly { readonly before: StockView; readonly after: StockView; readonly atLast: StockView }[];
  /** Events and commands that were sent a second time, and their deliveries: at least one for each consumer that listens to them. */
  readonly again: {
    readonly sent: number;
    /** Messages to which nobody listens, of those that were sent. */
    readonly unheard: number;
    /** Deliveries since then. A queue may deliver one of them once more by itself. */
    readonly deliveries: number;
    /** Deliveries that changed nothing. */
    readonly duplicates: number;
    /** Deliveries that were applied a second time. */
    readonly applied: number;
  };
}

interface DemoOptions {
  readonly orderly: Pick<RunningOrderly, 'endpoint' | 'deployment'>;
  readonly tokens: LocalRun['tokens'];
  readonly progress: Progress;
}

const ORDERS = 8;

/**
 * Places 8 orders over the API for more stock than there is. Then it sends all resulting messages a second time,
 * directly to the bus. It waits for results, never for a fixed time.
 * @throws {Error} with what was missing, if a result does not come
 */
export async function runDemo({ orderly, tokens, progress }: DemoOptions): Promise<DemoResult> {
  const { endpoint, deployment } = orderly;
  const { apiUrl } = deployment;
  const run = randomBytes(3).toString('hex');
  const skus = [`TEA-${run}`, `MUG-${run}`, `KETTLE-${run}`] as const;
  const logs = new ConsumerLogs(endpoint, deployment.outputs, Date.parse(currentTime(endpoint)));
  const events = new Events(endpoint, deployment.outputs);
  const moved = async () => (await logs.handled()).length;
  const stock = () => Promise.all(skus.map((sku) => expectFromApi<StockView>(apiUrl, `GET /stock/${sku}`, operator)));
  const operator = { token: tokens.operator };
  const shop = { apiUrl, ...operator };

  await runStep(progress, 'set price and stock of 3 SKUs, and the credit of 2 customers', () =>
    openShop(shop, listArticles(skus), ['alice', 'bob']),
  );
  const before = await stock();
  const placed = await runStep(progress, `place ${ORDERS} orders`, () =>
    Promise.all(
      Array.from({ length: ORDERS }, (_, at) =>
        expectFromApi<OrderView>(apiUrl, 'POST /orders', {
          token: at % 2 ? tokens.bob : tokens.alice,
          key: `demo-${run}-${at}`,
          body: { lines: buildLines(at, skus) },
        }),
      ),
    ),
  );
  const orders = await runStep(progress, 'wait until each is approved or rejected', async () => {
    const decidedOrders: OrderView[] = [];
    for (const { orderId } of placed) decidedOrders.push(await awaitDecision(shop, orderId, moved));
    return decidedOrders;
  });
  const all = await runStep(progress, 'wait until nothing is under way', () => awaitSettled(events, orders, moved));
  const entries = all.flatMap((one) => one.entries);
  const deliveries = all.flatMap((one) => one.deliveries.map(({ consumer, messageId }) => `${consumer} ${messageId}`));
  const heard = new Set(all.flatMap((one) => one.deliveries.map(({ messageId }) => messageId)));
  const first = await handledTimes(logs, deliveries, 1);
  const after = await stock();
  const sending = `send the same ${entries.length} events and commands again, and wait for them`;
  const handled = await runStep(progress, sending, async () => {
    await events.send(entries);
    return handledTimes(logs, deliveries, 2);
  });
  const more = (outcome: Handled['outcome']): number => count(handled, outcome) - count(first, outcome);
  if (more('applied') > 0) throw new Error('a duplicate was applied');
  const atLast = await stock();
  return {
    orders,
    stock: before.flatMap((one, at) => {
      const [then, end] = [after[at], atLast[at]];
      return then && end ? [{ before: one, after: then, atLast: end }] : [];
    }),
    again: {
      sent: entries.length,
      unheard: entries.filter((entry) => !heard.has(eventIdOf(entry))).length,
      deliveries: more('duplicate') + more('applied'),
      duplicates: more('duplicate'),
      applied: more('applied'),
    },
  };
}

const count = (outcomes: readonly (readonly Handled['outcome'][])[], which: Handled['outcome']): number =>
  outcomes.flat().filter((outcome) => outcome === which).length;

type Skus = readonly [tea: string, mug: string, kettle: string];

const listArticles = ([tea, mug, kettle]: Skus): readonly Article[] => [
  { sku: tea, name: 'Tea', price: 350, onHand: 40 },
  { sku: mug, name: 'Mug', price: 900, onHand: 30 },
  { sku: kettle, name: 'Kettle', price: 4900, onHand: 3 },
];

/** Returns the lines of an order: two pieces of tea, sometimes a mug, sometimes a kettle. There are too few kettles. */
function buildLines(at: number, [tea, mug, kettle]: Skus) {
  return [
    { sku: tea, quantity: 2, unitPrice: euros(350) },
    ...(at % 3 === 0 ? [{ sku: mug, quantity: 1, unitPrice: euros(900) }] : []),
    ...(at % 2 === 0 ? [{ sku: kettle, quantity: 1, unitPrice: euros(4900) }] : []),
  ];
}

/** Waits until all messages of the orders are handled, and returns them. */
function awaitSettled(
  events: Events,
  orders: readonly OrderView[],
  moved: () => unknown,
): Promise<readonly OrderOnBus[]> {
  const done: OrderOnBus[] = [];
  return waitUntil(
    async () => {
      for (const { orderId } of orders.slice(done.length)) {
        const one = await events.ofOrder(orderId);
        if (one.deliveries.some(({ state }) => state === 'pending')) return undefined;
        done.push(one);
      }
      return done;
    },
    {
      everyMs: 500,
      moved,
      missing: () => `order ${orders[done.length]?.orderId} still has messages under way`,
    },
  );
}

/** Waits until each delivery (`<consumer> <event id>`) was handled `times` times, and returns the outcomes. */
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
      everyMs: 300,
      missing: () => `${open.length} deliveries are not in the consumers' logs ${times} times, as ${open[0]}`,
    },
  );
}
