import type { Route } from '../route.js';
import { BasketView, CheckoutView, SetItem } from './contract.js';
import type { BasketsProblem } from './problems.js';

type BasketsRoute = Route<typeof BasketsProblem>;

export const getBasket = {
  method: 'GET',
  path: '/basket',
  id: 'getBasket',
  summary: 'Read the basket',
  description: 'Strongly consistent; prices are about a second behind the catalogue.',
  roles: ['customer'],
  answers: { 200: { description: 'The basket', body: BasketView } },
  problems: ['conflict'],
} as const satisfies BasketsRoute;

export const setItem = {
  method: 'PUT',
  path: '/basket/items/{sku}',
  id: 'setBasketItem',
  summary: 'Add a line to the basket, or set its quantity',
  description:
    'Repeatable by nature. A basket has at most 50 lines, and at most 10 pieces of a product with a price of 0.',
  roles: ['customer'],
  body: SetItem,
  answers: { 200: { description: 'The basket', body: BasketView } },
  problems: ['unknown-product', 'product-discontinued', 'basket-full', 'conflict'],
} as const satisfies BasketsRoute;

export const removeItem = {
  method: 'DELETE',
  path: '/basket/items/{sku}',
  id: 'removeBasketItem',
  summary: 'Remove a line from the basket',
  description: 'Repeatable by nature: a line that does not exist is removed already.',
  roles: ['customer'],
  answers: { 200: { description: 'The basket', body: BasketView } },
  problems: ['conflict'],
} as const satisfies BasketsRoute;

export const seePrices = {
  method: 'PUT',
  path: '/basket/seen',
  id: 'seeBasketPrices',
  summary: 'Say that the customer has seen the prices of the basket',
  description:
    'Repeatable by nature. With `If-Match` it holds for exactly the basket that was shown; without, also for a price that changed after that.',
  roles: ['customer'],
  ifMatch: true,
  answers: { 200: { description: 'The basket, without old prices', body: BasketView } },
} as const satisfies BasketsRoute;

export const checkOut = {
  method: 'POST',
  path: '/basket/checkout',
  id: 'checkOutBasket',
  summary: 'Order the lines of the basket',
  description:
    'The order exists about a second later, at `orders/<orderId>`; until then it is 404 there, and its lines are in the basket. With `If-Match`, the basket is ordered only as it was shown.',
  roles: ['customer'],
  repeat: 'key',
  ifMatch: true,
  answers: {
    202: {
      description: 'The id of the order',
      body: CheckoutView,
      headers: { Location: '`basket`, relative to the stage: the ordered lines leave it when the order exists.' },
    },
  },
  problems: ['basket-empty', 'product-discontinued', 'not-orderable'],
} as const satisfies BasketsRoute;
