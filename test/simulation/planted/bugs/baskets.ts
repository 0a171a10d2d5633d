import { bugsIn, type PlantedBug } from '../bug.js';

const basketStore = bugsIn('lambdas/baskets/basket-store.ts');
const checkOut = bugsIn('lambdas/baskets/check-out.ts');
const basket = bugsIn('lambdas/baskets/domain/basket.ts');
const checkout = bugsIn('lambdas/baskets/domain/checkout.ts');
const priceRollout = bugsIn('lambdas/baskets/price-rollout.ts');
const products = bugsIn('lambdas/baskets/products.ts');

export const BASKETS: readonly PlantedBug[] = [
  basketStore('a removed line stays on the list of baskets that hold its product', 'basket-races', {
    from: '...skusOnlyIn(before.lines, lines).map((sku) => this.holderDelete(sku, customerId)),',
    to: '',
  }),
  basketStore('a page of baskets is resumed one late', 'price-rollout', {
    from: 'customerIds: items.map(',
    to: 'customerIds: items.slice(after === undefined ? 0 : 1).map(',
  }),
  checkOut('a checkout does not mark the lines of its basket', 'basket-races', {
    from: 'writes: baskets.checkOutWrites(current, customerId, orderId, trace),',
    to: 'writes: [],',
  }),
  basket('a second change of a price in a basket forgets the price that was seen', 'basket-races', {
    from: 'const seen = line.oldUnitPrice ?? line.unitPrice;',
    to: 'const seen = line.unitPrice;',
  }),
  basket('a checkout orders lines of a basket that another one is ordering', 'basket-races', {
    from: 'lines.filter(({ checkedOut }) => checkedOut === undefined)',
    to: 'lines.filter(({ quantity }) => quantity > 0)',
  }),
  basket('an order takes every line out of its basket', 'basket-races', {
    from: 'lines.filter(({ checkedOut }) => checkedOut === orderId)',
    to: 'lines.filter(({ quantity }) => quantity > 0)',
  }),
  basket('a line of a basket that was changed stays marked as being ordered', 'basket-races', {
    from: '({ checkedOut: _, ...line }) => ({ ...line, quantity: set.quantity })',
    to: '(line) => ({ ...line, quantity: set.quantity })',
  }),
  basket('a basket that is read is not compared with the products', 'price-rollout', {
    from: 'return [...events, ...findPriceChanges(events.reduce(evolve, basket), command.customerId, products)];',
    to: 'return events;',
  }),
  basket(`a price that arrives with the customer's confirmation counts as seen`, 'price-rollout', {
    from: `  const events = decideCommand(basket, command, products);
  return [...events, ...findPriceChanges(events.reduce(evolve, basket), command.customerId, products)];`,
    to: `  const newer = findPriceChanges(basket, command.customerId, products);
  return [...newer, ...decideCommand(newer.reduce(evolve, basket), command, products)];`,
  }),
  checkout('a basket with two currencies is checked out', 'checkout-refused', {
    from: '(line) => line.unitPrice.currency !== currency,',
    to: '(line) => line.unitPrice.currency === undefined,',
  }),
  priceRollout('the next page of baskets is not asked for', 'price-rollout', {
    from: "commands: [buildCommand(basketsContract, 'ContinuePriceRollout', next)],",
    to: 'commands: [],',
  }),
  products('an older event of a product replaces a newer one in a race', 'price-races', {
    from: 'Item, ConditionExpression: isAsRead, ...values } },',
    to: 'Item, ...(isAsRead && values ? {} : {}) } },',
  }),
];
