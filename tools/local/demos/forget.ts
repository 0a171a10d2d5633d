import type { OrderView } from '../../../lambdas/orders/contract.js';
import { OPERATOR, type Stage, shortenId, splitSentences } from './stage.js';

const PRICE = 350;
const ADDRESS = { name: 'Ed', street: 'Main 1', city: 'Leeds', postalCode: 'LS1', country: 'GB' };

/** A person is forgotten: their key is deleted, and what it sealed can't be read any more, wherever a copy is. */
export async function play(stage: Stage): Promise<void> {
  const ed = stage.named('ed');
  const sku = await stage.article('tea', { price: PRICE, customers: [ed] });

  stage.tell('Ed orders tea to his address. The event contains it sealed, with a key of his own:');
  const { orderId } = await stage.place(ed, { sku, price: PRICE, deliverTo: ADDRESS });
  await stage.becomes(orderId, 'APPROVED');
  const shown = async (): Promise<string> => {
    const { deliverTo } = await stage.do<OrderView>(OPERATOR, `GET /orders/${orderId}`);
    const address = JSON.stringify(deliverTo);
    stage.show(`GET /orders/${shortenId(orderId)}  deliverTo ${address}`);
    return address;
  };
  await shown();

  stage.tell('He asks to be forgotten. His key is deleted at once:');
  stage.show(`orderly person forget ${ed}`, ...splitSentences(await stage.orderly('person', 'forget', ed)));

  stage.tell('From now on nobody can read the address, and nobody can give him another key. The order stays:');
  await shown();
  const body = { lines: [{ sku, quantity: 1, unitPrice: { amount: PRICE, currency: 'EUR' } }], deliverTo: ADDRESS };
  const asked = { key: `${ed}-again`, body };
  const answer = await stage.ask<OrderView & { detail?: string }>(ed, 'POST /orders', asked);
  stage.show(`POST /orders with the address  ${answer.status}  ${answer.body.detail ?? answer.body.status}`);
  const order = await stage.do<OrderView>(OPERATOR, `GET /orders/${orderId}`);
  stage.show(
    `GET /orders/${shortenId(orderId)}  ${order.status}, ${order.lines.length} line, total ${order.total.amount / 100} EUR`,
  );

  stage.tell(
    'A function may keep his key in memory for five minutes. Each request looks first whether he is forgotten.',
  );

  stage.tell('Without the pattern: a system that deletes rows.');
  stage.show(
    'The address stays in each event, queue, archive and backup; or the history is rewritten, and proves nothing.',
  );
}
