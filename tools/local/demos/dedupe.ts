import { inventoryContract, type StockView } from '../../../lambdas/inventory/contract.js';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import type { BusEntry } from '../../../packages/kit/messages/envelope.js';
import type { Handled } from '../consumer-logs.js';
import { Events, eventIdOf } from '../events.js';
import { BusQueue } from './bus-queue.js';
import { columns, renderDeliveries } from './dedupe-texts.js';
import { NaiveConsumer, type Worked } from './naive-consumer.js';
import { PowertoolsConsumer } from './powertools-consumer.js';
import { OPERATOR, type Stage } from './stage.js';

const PRICE = 350;
const STOCK = 10;
const ORDERS = 3;
/** Pinned name of the consumer that guards the stock. */
const OURS = 'inventory-commands';

/**
 * Each ReserveStock command goes to a naive consumer, to one that Powertools idempotency guards, and to the idempotent one:
 * once, a second time, and with a crash between the effect and what follows it.
 */
export async function play(stage: Stage): Promise<void> {
  const { endpoint, deployment } = stage;
  const dan = stage.named('dan');
  const sku = await stage.article('tea', { price: PRICE, onHand: STOCK, customers: [dan] });
  const { naive, powertools } = await consumersBeside(stage, sku);
  const events = new Events(endpoint, deployment.outputs);
  const left = async () => [
    naive.left,
    powertools.left,
    (await stage.do<StockView>(OPERATOR, `GET /stock/${sku}`)).available,
  ];
  const handledBy = async (ids: ReadonlySet<string>) =>
    (await stage.consumers.handled(inventoryContract.service)).filter(
      ({ consumer, eventId }) => consumer === OURS && ids.has(eventId),
    );
  /** Waits until each consumer has had each command so many times. */
  const had = (ids: ReadonlySet<string>, times: number) =>
    stage.until(`each of ${ids.size} commands ${times} times at each consumer`, async () => {
      const ours = await handledBy(ids);
      const by = (worked: readonly Worked[]) => worked.filter(({ id }) => ids.has(id)).length;
      const least = Math.min(by(naive.worked), by(powertools.worked), ours.length);
      return least >= ids.size * times ? ours : undefined;
    });
  const commandsOf = async (orderId: string) =>
    (await events.ofOrder(orderId)).entries.filter(({ DetailType }) => DetailType === 'ReserveStock');

  stage.tell(`Each consumer has ${STOCK} pieces in stock. ${ORDERS} orders of one piece are placed:`);
  const orders = await Promise.all(Array.from({ length: ORDERS }, () => stage.place(dan, { sku, price: PRICE })));
  const commands: BusEntry[] = [];
  for (const { orderId } of orders) {
    await stage.becomes(orderId, 'APPROVED');
    commands.push(...(await commandsOf(orderId)));
  }
  const ids = new Set(commands.map(eventIdOf));
  await had(ids, 1);
  const placed = await left();
  stage.show(`${ids.size} ReserveStock commands have arrived at each consumer`);

  stage.tell('The bus delivers at least once. So each command is sent a second time:');
  await events.send(commands);
  const twice = await had(ids, 2);
  const repeated = await left();
  stage.show(
    ...renderDeliveries(ids, {
      naive: naive.worked,
      powertools: powertools.worked,
      ours: { name: OURS, handled: twice },
    }),
  );

  stage.tell(
    'One more order. Its consumer dies behind its effect, and so nobody acknowledges: the queue delivers again.',
  );
  await stage.fault('Inventory/OnCommands', 'killed-after');
  powertools.dies = true;
  const { orderId } = await stage.place(dan, { sku, price: PRICE });
  await stage.becomes(orderId, 'APPROVED');
  const again = await commandsOf(orderId);
  await stage.until(
    'an end of the function',
    async () => (await stage.cloud.status()).faults.length === 0 || undefined,
  );
  const last = new Set(again.map(eventIdOf));
  await stage.until('the second attempt of Powertools', async () => {
    const taken = powertools.worked.filter(({ id, what }) => last.has(id) && what.startsWith('took'));
    return taken.length === 2 || undefined;
  });
  await events.send(again);
  const crashed = await stage.until('the second delivery at the idempotent consumer', async () => {
    const ours: readonly Handled[] = await handledBy(last);
    return ours.some(({ outcome }) => outcome === 'duplicate') ? ours : undefined;
  });
  await stage.until('the second delivery at the naive consumer', async () => {
    return naive.worked.filter(({ id }) => last.has(id)).length === 2 || undefined;
  });
  stage.show(`${OURS} died behind its transaction, without a log line. Its second delivery:`);
  stage.show(
    ...renderDeliveries(last, {
      naive: naive.worked,
      powertools: powertools.worked,
      ours: { name: OURS, handled: crashed },
    }),
  );

  stage.tell(`Pieces left of ${STOCK}, when ${ORDERS + 1} were sold:`);
  stage.show(...columns([placed, repeated, await left()], OURS));
  stage.tell(
    'Powertools writes its record before and after the effect, in three steps. A crash between them does the effect again.',
  );
  stage.show(`${OURS} writes the effect and the record in one transaction: both are there, or neither.`);
}

/** Puts two consumers of the commands about a SKU beside the idempotent one, in this process. They go when the demo ends. */
async function consumersBeside(stage: Stage, sku: string) {
  const { endpoint, deployment } = stage;
  const bus = deployment.outputs.Platform?.BusName ?? '';
  const pattern = {
    source: [`orderly.${ordersContract.service}`],
    'detail-type': ['ReserveStock'],
    detail: { data: { lines: { sku: [sku] } } },
  };
  const now = () => stage.now;
  const naive = new NaiveConsumer(STOCK, now);
  const TableName = `orderly-${stage.named('powertools')}`;
  const powertools = await PowertoolsConsumer.start(endpoint, { TableName, stock: STOCK, now });
  stage.afterwards(() => powertools.stop());
  for (const [name, consumer] of Object.entries({ naive, powertools })) {
    const queue = await BusQueue.start(endpoint, { bus, name: `orderly-${stage.named(name)}`, pattern }, consumer);
    stage.afterwards(() => queue.stop());
  }
  return { naive, powertools };
}
