import { Problem, pointerFault } from '@orderly/kit/http';
import { MAX_FREE_QUANTITY } from '../orders/contract.js';
import type { Current } from './basket-store.js';
import { MAX_LINES } from './contract.js';
import { BasketRefused, toView } from './domain/basket.js';
import type { Obstacle } from './domain/checkout.js';
import { BasketsProblem } from './problems.js';

/** Answers with the basket. */
export const basketResponse = ({ basket, version }: Current) =>
  ({ status: 200, body: toView(basket, version) }) as const;

/** @throws {Problem} 404, 409 or 400 if the basket refused the request, and otherwise the error itself */
export function throwAsProblem(error: unknown): never {
  if (!(error instanceof BasketRefused)) throw error;
  const { code: reason } = error;
  const cause = { cause: error };
  switch (reason) {
    case 'UNKNOWN_PRODUCT':
      throw new Problem(BasketsProblem['unknown-product'], 'no product has this SKU', { reason }, cause);
    case 'PRODUCT_DISCONTINUED':
      throw new Problem(BasketsProblem['product-discontinued'], 'the product is not sold any more', { reason }, cause);
    case 'BASKET_FULL':
      throw new Problem(BasketsProblem['basket-full'], `a basket has at most ${MAX_LINES} lines`, {}, cause);
    case 'TOO_MANY_FREE_PIECES': {
      const detail = `expected at most ${MAX_FREE_QUANTITY} for a product with price 0`;
      throw new Problem('invalid-request', detail, { errors: [pointerFault(['quantity'], detail)] }, cause);
    }
  }
}

/** @throws {Problem} 409, always */
export function refuseCheckout({ code, faults }: Obstacle): never {
  const errors = faults.map(({ at, detail }) => pointerFault(['lines', at], detail));
  switch (code) {
    case 'BASKET_EMPTY':
      throw new Problem(BasketsProblem['basket-empty'], 'the basket has no lines that are not being ordered already');
    case 'PRODUCT_DISCONTINUED':
      throw new Problem(
        BasketsProblem['product-discontinued'],
        'products of the basket are not sold any more: remove their lines',
        { reason: code, errors },
      );
    case 'NOT_ORDERABLE':
      throw new Problem(
        BasketsProblem['not-orderable'],
        `Lines that cannot be ordered: ${faults.map(({ at }) => `/lines/${at}`).join(', ')}.`,
        { errors },
      );
  }
}
