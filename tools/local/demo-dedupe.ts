import { randomBytes } from 'node:crypto';
import type { StockView } from '../../lambdas/inventory/contract.js';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { expectFromApi } from './api.js';
import { ConsumerLogs, type Handled } from './consumer-logs.js';
import { comparison } from './demo-dedupe-texts.js';
import { devTokens } from './dev-issuer.js';
import { type RunningOrderly, runningOrderly } from './emulator.js';
import { aheadAt } from './endpoint.js';
import { Events, eventIdOf } from './events.js';
import { NaiveConsumer } from './naive-consumer.js';
import { type Progress, step, waitUntil } from './progress.js';
import { decided, euros, openShop } from './shop.js';
import { Terminal } from './terminal.js';

const STOCK = 10;
const ORDERS = 3;
/** Pinned name of the consumer that guards the stock. */
const OURS = 'inventory-commands';

/**
 * Runs `npm run demo:dedupe`: sends the ReserveStock command of each order twice, to a naive consumer and to the idempotent
 * one, side by side.
 */
export async function main(): Promise<number> {
  const terminal = new Terminal();
  terminal.say(await terminal.during(() => demonstrated(terminal.say)));
  return 0;
}

async function demonstrated(progress: Progress): Promise<string> {
  const orderly = await runningOrderly({ progress });
  try {
    const bus = orderly.deployment.outputs.Platform?.BusName ?? '';
    const naive = await step(progress, 'put a naive consumer beside the idempotent one', () =>
      NaiveConsumer.start(orderly.endpoint, bus, STOCK),
    );
    try {
      return await demonstrate(orderly, naive, progress);
    } finally {
      await naive.stop();
    }
  } finally {
    await orderly.stop();
  }
}

async function demonstrate(orderly: RunningOrderly, naive: NaiveConsumer, progress: Progress): Promise<string> {
  const { endpoint, deployment } = orderly;
  const { apiUrl } = deployment;
  const tokens = devTokens(await aheadAt(endpoint.url));
  const run = randomBytes(3).toString('hex');
  const sku = `TEA-${run}`;
  const logs = new ConsumerLogs(endpoint, deployment.outputs, Date.now());
  const events = new Events(endpoint, deployment.outputs);
  const operator = { token: tokens.operator };
  const shop = { apiUrl, ...operator };
  const moved = async () => (await logs.handled()).length;

  await step(progress, `set price and stock of ${sku}`, () =>
    openShop(shop, [{ sku, name: 'Tea', price: 350, onHand: STOCK }], ['alice']),
  );
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
  for (const [at, { orderId }] of placed.entries())
    await step(progress, `wait for order ${at + 1} of ${ORDERS}`, () => decided(shop, orderId, moved));
  const all = await Promise.all(placed.map(({ orderId }) => events.ofOrder(orderId)));
  const commands = all.flatMap(({ entries }) => entries).filter(({ DetailType }) => DetailType === 'ReserveStock');
  const ids = new Set(commands.map(eventIdOf));
  await step(progress, 'wait until both consumers have had each ReserveStock', () => bothHandled(1));
  const ours = await step(progress, `send the ${commands.length} commands a second time, and wait again`, async () => {
    await events.send(commands);
    return bothHandled(2);
  });
  const { available } = await expectFromApi<StockView>(apiUrl, `GET /stock/${sku}`, operator);
  return comparison({
    orders: ORDERS,
    stock: STOCK,
    naive: { left: naive.stock, handled: naive.handled },
    ours: { consumer: OURS, left: available, handled: ours },
  });

  function bothHandled(times: number): Promise<readonly Handled[]> {
    let lines: readonly Handled[] = [];
    return waitUntil(
      async () => {
        lines = (await logs.handled()).filter(({ consumer, eventId }) => consumer === OURS && ids.has(eventId));
        const enough = lines.length >= ids.size * times && naive.handled.length >= ids.size * times;
        return enough ? lines : undefined;
      },
      {
        everyMs: 300,
        missing: () =>
          `handled by the idempotent one ${lines.length}, the naive one ${naive.handled.length}, of ${ids.size * times}`,
      },
    );
  }
}
