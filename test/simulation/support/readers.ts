import type { Violation } from '../../simulator/search/scenario.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { Facts } from './facts.js';
import type { Orderly } from './orderly.js';

/**
 * Checks every invariant, then reads through the API: an order as it is, its owner's list, its history, the stock; and
 * that nobody reads another's order. @returns every broken promise
 */
export async function readersSeeTheTruth(orderly: Orderly): Promise<readonly Violation[]> {
  const broken: Violation[] = [...brokenPromises(orderly)];
  const facts = new Facts(orderly);
  const expect = (invariant: string, found: unknown, wanted: unknown, about: string): void => {
    if (JSON.stringify(found) === JSON.stringify(wanted)) return;
    broken.push({ invariant, detail: `found ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`, about });
  };
  for (const id of [...facts.orders.keys()].slice(0, 2)) {
    const order = facts.order(id);
    if (!order) continue;
    const read = (path: string, as: string) => orderly.call({ method: 'GET', path, as });
    const seen = await read(`/orders/${id}`, order.customerId);
    expect('an order is read as it is', seen.reply.body, order, id);
    const others = await read(`/orders/${id}`, 'mallory');
    expect("nobody reads another's order", others.reply.status, 404, id);
    const history = await read(`/orders/${id}/history`, order.customerId);
    const types = (history.reply.body.items as readonly { type: string }[] | undefined)?.map(({ type }) => type);
    expect(
      'a history tells every event',
      types,
      facts.orders.get(id)?.flatMap(({ events }) => events.map(({ type }) => type)),
      id,
    );
    const row = facts.rows.find(({ sk }) => sk.endsWith(`#${id}`));
    const list = await read('/orders?limit=100', order.customerId);
    const items = (list.reply.body.items ?? []) as readonly { orderId: string }[];
    expect(
      'a list shows every row',
      items.find(({ orderId }) => orderId === id),
      row && JSON.parse(row.order),
      id,
    );
  }
  for (const { sku, onHand, reserved, available } of facts.counters.slice(0, 1)) {
    const { reply } = await orderly.call({ method: 'GET', path: `/stock/${sku}`, as: 'operator' });
    const { version: _, ...stock } = reply.body;
    expect('stock is read as it is', stock, { sku, onHand, reserved, available }, sku);
  }
  await orderly.rest();
  return broken;
}
