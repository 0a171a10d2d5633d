import { describe, expect, test } from 'vitest';
import { refuseCheckout, throwAsProblem } from '../../../lambdas/baskets/answers.js';
import { BasketRefused } from '../../../lambdas/baskets/domain/basket.js';
import type { Obstacle } from '../../../lambdas/baskets/domain/checkout.js';
import { Problem } from '../../../packages/kit/http/errors.js';

/** Returns the problem that a function throws. */
function thrownBy(run: () => never): Problem {
  try {
    return run();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

describe('a basket that refuses a request', () => {
  test.each([
    ['UNKNOWN_PRODUCT', 404, 'unknown-product'],
    ['PRODUCT_DISCONTINUED', 409, 'product-discontinued'],
    ['BASKET_FULL', 409, 'basket-full'],
    ['TOO_MANY_FREE_PIECES', 400, 'invalid-request'],
  ] as const)('a refusal because of %s answers %i %s', (code, status, problem) => {
    expect(thrownBy(() => throwAsProblem(new BasketRefused(code)))).toMatchObject({ kind: { status, code: problem } });
  });

  test('says how many lines it may have', () =>
    expect(thrownBy(() => throwAsProblem(new BasketRefused('BASKET_FULL'))).detail).toBe(
      'a basket has at most 50 lines',
    ));

  test('leaves other errors as they are', () => {
    const error = new Error('of our own');
    expect(() => throwAsProblem(error)).toThrow(error);
  });
});

describe('a checkout that is refused', () => {
  test.each([
    ['BASKET_EMPTY', 'basket-empty'],
    ['PRODUCT_DISCONTINUED', 'product-discontinued'],
    ['NOT_ORDERABLE', 'not-orderable'],
  ] as const)('a refusal because of %s answers 409 %s', (code, problem) => {
    const obstacle: Obstacle = { code, faults: [{ at: 2, detail: 'expected another one' }] };
    expect(thrownBy(() => refuseCheckout(obstacle))).toMatchObject({ kind: { status: 409, code: problem } });
  });
});
