import { expect } from 'vitest';
import type { AccountView } from '../../lambdas/accounts/contract.js';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { world } from '../support/world.js';
import { getAccount } from './accounts.js';
import { get } from './orders.js';
import type { Moved } from './world.js';

/** State of an order at all services, for scenarios about sagas. */

/** State of an order at every service that takes part. The customer and the SKU must have no other order. */
export interface Standing {
  readonly order: string;
  /** Last event of its saga, such as `SagaCompleted`. */
  readonly saga: string | undefined;
  /** Sums of the customer's account; each is 0 if it was never opened. */
  readonly account: { readonly authorized: number; readonly captured: number; readonly refunded: number };
  /** Reserved pieces. */
  readonly reserved: number | undefined;
  readonly money: Moved;
}

const NO_MONEY: Moved = { charges: 0, charged: 0, refunds: 0, refunded: 0 };
const NO_CREDIT = { authorized: 0, captured: 0, refunded: 0 };

/** State in which no service keeps anything for the order. */
export const NOTHING = { account: NO_CREDIT, reserved: 0, money: NO_MONEY } as const;

/** State in which every service has done its step, once. */
export const takenOf = (total: number, pieces: number) => ({
  account: { ...NO_CREDIT, captured: total },
  reserved: pieces,
  money: { ...NO_MONEY, charges: 1, charged: total },
});

/** State in which a charge was refunded. */
export const givenBack = (total: number): Moved => ({ charges: 1, charged: total, refunds: 1, refunded: total });

/** Waits until everything is done. */
export async function standingOf({ orderId, customerId, lines }: OrderView): Promise<Standing> {
  await world.settled(orderId);
  const { body: order } = await get(orderId);
  const { status, body: account } = await getAccount(customerId);
  return {
    order: [order.status, order.reason].filter(Boolean).join(' '),
    saga: (await sagaOf(orderId)).findLast((type) => type.startsWith('Saga')),
    account: status === 404 ? NO_CREDIT : amountsOf(account),
    reserved: (await world.stock(lines[0]!.sku))?.reserved,
    money: await world.moved(orderId),
  };
}

const amountsOf = ({ authorized, captured, refunded }: AccountView): Standing['account'] => ({
  authorized: authorized.amount,
  captured: captured.amount,
  refunded: refunded.amount,
});

/** Returns the types of the saga's events and of the commands that it sent, oldest first. */
export const sagaOf = async (orderId: string): Promise<readonly string[]> =>
  (await world.events({ aggregate: 'CreateOrderSaga', id: orderId })).map(({ type }) => type);

/** Waits until the saga has this event. */
export const sagaHas = (orderId: string, type: string): Promise<void> =>
  world.eventually(`the saga of ${orderId} has ${type}`, async () => expect(await sagaOf(orderId)).toContain(type));
