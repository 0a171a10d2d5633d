import type { OrderView } from '../../../lambdas/orders/contract.js';
import type { PaymentView } from '../../../lambdas/payments/contract.js';
import { readMoney } from './money.js';
import { OPERATOR, type Stage, shortenId } from './stage.js';

const PRICE = 350;

/** A user becomes SUSPECT. The inbox stores the event at once, and its runner looks at each active order of the user. */
export async function play(stage: Stage): Promise<void> {
  const eve = stage.named('eve');
  const sku = await stage.article('tea', { price: PRICE, customers: [eve] });
  const shown = async (what: string, orderId: string): Promise<void> => {
    const order = await stage.do<OrderView>(OPERATOR, `GET /orders/${orderId}`);
    const why = order.reviewReasons ? `  ${order.reviewReasons.join(', ')}` : '';
    stage.show(`${what.padEnd(15)} GET /orders/${shortenId(orderId)}  ${order.status}${why}`);
  };
  const becomes = async (what: string, orderId: string, status: OrderView['status']): Promise<void> => {
    await stage.becomes(orderId, status);
    await shown(what, orderId);
  };

  stage.tell('Eve places two orders, and pays:');
  const paid = await stage.place(eve, { sku, price: PRICE });
  const other = await stage.place(eve, { sku, price: PRICE });
  for (const { orderId } of [paid, other]) await becomes('paid', orderId, 'APPROVED');

  stage.tell(
    'An operator makes her SUSPECT. The inbox stores the event and acknowledges it; its runner finds both orders:',
  );
  const body = { status: 'SUSPECT', reason: 'stolen card' };
  await stage.do(OPERATOR, `PUT /users/${eve}/status`, { body });
  for (const { orderId } of [paid, other]) await becomes('paid', orderId, 'UNDER_REVIEW');
  stage.showLog(await stage.heard('orders-reviews', { message: 'stored' }), 'eventId');
  stage.showLog(await stage.logged('orders/on-user-status-changed', { message: 'applied' }), 'attempts', 'record');
  const refused = await stage.ask<{ detail: string }>(OPERATOR, `POST /orders/${paid.orderId}/dispatch`, {
    key: stage.named('dispatch'),
  });
  stage.show(`POST /orders/${shortenId(paid.orderId)}/dispatch  ${refused.status}  ${refused.body.detail}`);

  stage.tell('She orders once more. The order is held before it is charged:');
  const late = await stage.place(eve, { sku, price: PRICE });
  await becomes('placed after it', late.orderId, 'UNDER_REVIEW');
  stage.show(await readMoney(stage, eve));

  stage.tell(
    'The operator reviews them. A paid order is not charged again; if it is rejected, the money is given back:',
  );
  const decide = async (what: string, { orderId }: OrderView, decision: string, status: OrderView['status']) => {
    await stage.do(OPERATOR, `PUT /orders/${orderId}/review`, { body: { decision } });
    stage.show(`${' '.repeat(15)} PUT /orders/${shortenId(orderId)}/review  ${decision}`);
    await becomes(what, orderId, status);
  };
  await decide('paid', paid, 'approve', 'APPROVED');
  await decide('paid', other, 'reject', 'CANCELLED');
  await decide('placed after it', late, 'approve', 'APPROVED');
  await stage.until('a refund of the rejected order', async () => {
    const { refunded } = await stage.do<PaymentView>(OPERATOR, `GET /payments/${other.orderId}`);
    return refunded.amount > 0 || undefined;
  });
  stage.show(await readMoney(stage, eve));

  stage.tell('Without the pattern: a consumer that reviews the orders while the queue waits for it.');
  stage.show(
    'With a thousand orders, it takes longer than the queue waits: the event comes again, and so does the review.',
  );
}
