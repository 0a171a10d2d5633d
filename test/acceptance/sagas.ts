import { expect } from 'vitest';
import type { AccountView } from '../../lambdas/accounts/contract.js';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { world } from '../support/world.js';
import { getAccount } from './accounts.js';
import { get } from './orders.js';
import type { Moved } from './world.js';

/** What scenarios about sagas look at. */

/** How things stand with an order at everybody who has a part in it; the customer and the SKU have no other order. */
export interface Standing {
  readonly order: string;
  /** How far its saga is: `SagaCompleted`. */
  readonly saga: string | undefined;
  /** Of the customer's account: 0 of each where it was never opened. */
  readonly account: { readonly authorized: number; readonly captured: number; readonly refunded: number };
  /** Pieces. */
  readonly reserved: number | undefined;
  readonly money: Moved;
}

const NO_MONEY: Moved = { charges: 0, charged: 0, refunds: 0, refunded: 0 };
const NO_CREDIT = { authorized: 0, captured: 0, refunded: 0 };

/** Nobody keeps anything for it. */
export const NOTHING = { account: NO_CREDIT, reserved: 0, money: NO_MONEY } as const;

/** Everybody has their part, once. */
export const takenOf = (total: number, pieces: number) => ({
  account: { ...NO_CREDIT, captured: total },
  reserved: pieces,
  money: { ...NO_MONEY, charges: 1, charged: total },
});

/** What was charged was given back. */
export const givenBack = (total: number): Moved => ({ charges: 1, charged: total, refunds: 1, refunded: total });

/** Waits until all is done. */
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

/** Types of its saga's events, and of the commands that it sent, oldest first. */
export const sagaOf = async (orderId: string): Promise<readonly string[]> =>
  (await world.events({ aggregate: 'CreateOrderSaga', id: orderId })).map(({ type }) => type);

/** Waits until its saga has this event. */
export const sagaHas = (orderId: string, type: string): Promise<void> =>
  world.eventually(`the saga of ${orderId} has ${type}`, async () => expect(await sagaOf(orderId)).toContain(type));
