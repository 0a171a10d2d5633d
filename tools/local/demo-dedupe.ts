import { randomBytes } from 'node:crypto';
import type { StockView } from '../../lambdas/inventory/contract.js';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { expectFromApi } from './api.js';
import { ConsumerLogs, type Handled } from './consumer-logs.js';
import { devTokens } from './dev-issuer.js';
import { type RunningOrderly, runningOrderly } from './emulator.js';
import { Events, eventIdOf } from './events.js';
import { NaiveConsumer } from './naive-consumer.js';
import { type Progress, step, waitUntil } from './progress.js';
import { decided, euros, openShop } from './shop.js';

const STOCK = 10;
const ORDERS = 3;
/** Pinned name of the consumer that starts an order's saga, which reserves the stock. */
const OURS = 'orders-saga';

/**
 * Runs `npm run demo:dedupe`: sends every OrderPlaced twice, to a naive consumer and to the idempotent one, side by
 * side.
 */
export async function main(): Promise<number> {
  const progress: Progress = console.log;
  const orderly = await runningOrderly({ progress });
  try {
    const naive = await NaiveConsumer.start(
      orderly.endpoint,
      orderly.deployment.outputs.Platform?.BusName ?? '',
      STOCK,
    );
    try {
      console.log(await demonstrate(orderly, naive, progress));
    } finally {
      await naive.stop();
    }
  } finally {
    await orderly.stop();
  }
  return 0;
}

async function demonstrate(orderly: RunningOrderly, naive: NaiveConsumer, progress: Progress): Promise<string> {
  const { endpoint, deployment } = orderly;
  const { apiUrl } = deployment;
  const tokens = devTokens();
  const run = randomBytes(3).toString('hex');
  const sku = `TEA-${run}`;
  const logs = new ConsumerLogs(endpoint, deployment.outputs, Date.now());
  const events = new Events(endpoint, deployment.outputs);
  const operator = { token: tokens.operator };

  const shop = { apiUrl, ...operator };
  await openShop(shop, [{ sku, name: 'Tea', price: 350, onHand: STOCK }], ['alice']);
  const placed = await step(progress, `place ${ORDERS} orders of one ${sku}`, () =>
    Promise.all(
      Array.from({ length: ORDERS }, (_, at) =>
        expectFromApi<OrderView>(apiUrl, 'POST /orders', {
          token: tokens.alice,
          key: `dedupe-${run}-${at}`,
          body: { lines: [{ sku, quantity: 1, unitPrice: euros(350) }] },
        }),
      ),
    ),
  );
  const moved = async () => (await logs.handled()).length;
  for (const { orderId } of placed) await decided(shop, orderId, moved);
  const all = await Promise.all(placed.map(({ orderId }) => events.ofOrder(orderId)));
  const orderPlaced = all.flatMap(({ entries }) => entries).filter(({ DetailType }) => DetailType === 'OrderPlaced');
  const ids = new Set(orderPlaced.map(eventIdOf));
  await step(progress, 'wait until both consumers have had each event', () => bothHandled(1));
  const ours = await step(progress, 'send each event a second time, and wait again', async () => {
    await events.send(orderPlaced);
    return bothHandled(2);
  });
  const { available } = await expectFromApi<StockView>(apiUrl, `GET /stock/${sku}`, operator);
  return `
Stock of ${STOCK}, ${ORDERS} orders of one piece, every event delivered twice:

  naive consumer        ${STOCK} -> ${naive.stock}   (${STOCK - naive.stock} pieces gone)
  idempotent consumer   ${STOCK} -> ${available}   (${STOCK - available} pieces reserved)

Log of the naive consumer:
${naive.lines.map((line) => `  ${line}`).join('\n')}

Log of the idempotent consumer ('${OURS}'):
${ours.map(({ eventId, outcome, line }) => `  ${eventId}: ${outcome}\n    ${line}`).join('\n')}`;

  function bothHandled(times: number): Promise<readonly Handled[]> {
    let lines: readonly Handled[] = [];
    return waitUntil(
      async () => {
        lines = (await logs.handled()).filter(({ consumer, eventId }) => consumer === OURS && ids.has(eventId));
        const enough = lines.length >= ids.size * times && naive.lines.length >= ids.size * times;
        return enough ? lines : undefined;
      },
      {
        everyMs: 300,
        missing: () =>
          `handled by the idempotent one ${lines.length}, the naive one ${naive.lines.length}, of ${ids.size * times}`,
      },
    );
  }
}
