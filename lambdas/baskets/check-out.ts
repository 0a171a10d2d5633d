import { retryOnConflict, WriteConflict } from '@orderly/kit/aws';
import { refuseVersionMismatch } from '@orderly/kit/http';
import { createOnce, type IdempotencyKey, type Outcome } from '@orderly/kit/idempotent-receiver';
import { buildCommand, type Trace } from '@orderly/kit/messages';
import { findUnchargeable } from '../charge-limits.js';
import { ordersContract } from '../orders/contract.js';
import type { CheckoutStore } from './aggregates.js';
import { refuseCheckout } from './answers.js';
import type { Baskets, Current } from './basket-store.js';
import { type Checkout, findObstacle, type Obstacle, toOrderLines } from './domain/checkout.js';

export interface CheckOut {
  readonly baskets: Baskets;
  readonly checkouts: CheckoutStore;
  readonly customerId: string;
  readonly key: IdempotencyKey;
  /** Version of the basket that is to be ordered. @default any version */
  readonly ifMatch: number | undefined;
  readonly trace: Trace;
}

/** Error for a basket that changed between its load and the transaction. It is never answered. */
class BasketMoved extends Error {
  override readonly name = 'BasketMoved';
}

/**
 * Makes an order of a basket's lines, once per key for ever: the order's id derives from the key. One transaction writes
 * the checkout, with the command to orders, and marks the lines in the basket. Two checkouts with different keys at the
 * same time collide at the basket, so no line is ordered twice.
 * @throws {Problem} 409 if the basket has no lines, or can't be ordered; 422 as {@link createOnce}
 * @throws {WriteConflict} the basket kept changing
 */
export const checkOut = ({
  baskets,
  checkouts,
  customerId,
  key,
  ifMatch,
  trace,
}: CheckOut): Promise<Outcome<Checkout>> =>
  retryOnConflict(async () => {
    const current = await baskets.change({ type: 'Look', customerId }, trace);
    const lines = toOrderLines(current.basket);
    return createOnce({
      store: checkouts,
      key,
      trace,
      refuseNew: findRefusal(current, ifMatch),
      command: (orderId) => ({ orderId, customerId, lines }),
      commands: (orderId) => [buildCommand(ordersContract, 'PlaceOrder', { orderId, customerId, lines })],
      alongside: (_, orderId) => ({
        writes: baskets.checkOutWrites(current, customerId, orderId, trace),
        refuse: () => {
          throw new BasketMoved();
        },
      }),
    }).catch(retryIfMoved);
  });

/** Returns the refusal of a new checkout, if there is one. A repeat gets its first answer all the same. */
function findRefusal(current: Current, ifMatch: number | undefined): (() => never) | undefined {
  try {
    refuseVersionMismatch(ifMatch, current.version);
  } catch (error) {
    return () => {
      throw error;
    };
  }
  const obstacle = findObstacle(current.basket, current) ?? findChargeObstacle(current);
  return obstacle && (() => refuseCheckout(obstacle));
}

/** Returns the obstacle of a total that no provider can charge. */
function findChargeObstacle({ basket }: Current): Obstacle | undefined {
  const lines = toOrderLines(basket);
  const detail = findUnchargeable(lines);
  return detail === undefined ? undefined : { code: 'NOT_ORDERABLE', faults: lines.map((_, at) => ({ at, detail })) };
}

/** @throws {WriteConflict} if the basket has moved, so that it is read again; otherwise the error itself */
function retryIfMoved(error: unknown): never {
  throw error instanceof BasketMoved ? new WriteConflict('basket', { cause: error }) : error;
}
