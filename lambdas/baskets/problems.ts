import { defineProblems } from '@orderly/kit/http';

export const BasketsProblem = defineProblems({
  'unknown-product': { status: 404, title: 'Unknown product' },
  'product-discontinued': { status: 409, title: 'Product discontinued' },
  'basket-full': { status: 409, title: 'Basket full' },
  'basket-empty': { status: 409, title: 'Basket empty' },
  /** An order with these lines would be refused. */
  'not-orderable': { status: 409, title: 'Basket not orderable' },
});
