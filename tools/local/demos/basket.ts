import type { BasketView } from '../../../lambdas/baskets/contract.js';
import { euros } from '../shop.js';
import { inEuros, OPERATOR, type Stage } from './stage.js';

const PRICES = [350, 400, 450] as const;

/** The price of a product changes twice while it is in a basket; then the older change arrives once more. */
export async function play(stage: Stage): Promise<void> {
  const ann = stage.named('ann');
  const sku = await stage.article('tea', { price: PRICES[0] });
  const lineOf = async () => {
    const { lines } = await stage.do<BasketView>(ann, 'GET /basket');
    return lines.find((line) => line.sku === sku);
  };
  const becomes = (price: number) =>
    stage.until(`${sku} at ${price} in the basket`, async () => {
      const line = await lineOf();
      return line?.unitPrice.amount === price ? line : undefined;
    });
  const shown = async (): Promise<void> => {
    const line = await lineOf();
    const before = line?.oldUnitPrice ? `, was ${inEuros(line.oldUnitPrice.amount)}` : '';
    stage.show(`GET /basket  ${sku} ${inEuros(line?.unitPrice.amount ?? 0)}${before}`);
  };
  const changed = (times: number) =>
    stage.heard('baskets-products', { eventType: 'ProductPriceChanged', subject: `Product/${sku}` }, times);

  stage.tell(`Ann puts ${sku} into her basket, as soon as baskets know the product:`);
  await stage.until(`baskets know ${sku}`, async () => {
    const { status } = await stage.ask(ann, `PUT /basket/items/${sku}`, { body: { quantity: 2 } });
    return status === 200 || undefined;
  });
  await shown();

  for (const [at, price] of PRICES.slice(1).entries()) {
    stage.tell(
      `The price becomes ${inEuros(price)}. Catalog publishes ProductPriceChanged, and baskets has subscribed to it:`,
    );
    await stage.do(OPERATOR, `PUT /products/${sku}`, { body: { name: 'tea', unitPrice: euros(price) } });
    await becomes(price);
    stage.showLog((await changed(at + 1)).slice(at), 'eventType', 'eventId');
    await shown();
  }

  stage.tell('The older event is sent once more, and arrives behind the newer one:');
  const [older] = await changed(1);
  await stage.cloud.redeliver(String(older?.eventId));
  const all = await changed(PRICES.length);
  stage.showLog(all.slice(-1), 'eventType', 'eventId');
  await shown();

  stage.tell(
    'Without the pattern: a subscriber that puts the price of each event into its baskets, as the events come:',
  );
  const priceOf = new Map([...new Set(all.map(({ eventId }) => eventId))].map((id, at) => [id, PRICES[at + 1] ?? 0]));
  const naive = all.reduce((_, { eventId }) => priceOf.get(eventId) ?? 0, 0);
  stage.show(`${sku} ${inEuros(naive)}: Ann is shown a price that nobody asks any more`);
}
