import type { InventoryCommand } from '../../lambdas/inventory/contract.js';
import { world } from '../support/world.js';
import { newOrderId } from './messages.js';

/** Preconditions and checks of scenarios about stock. */

/** Returns the steps of one order's saga. */
export function stockSteps(orderId = newOrderId()) {
  const step = (name: string) => ({ orderId, stepId: `${orderId}/${name}` });
  return {
    orderId,
    reserve: (...lines: readonly { sku: string; quantity: number }[]): InventoryCommand => ({
      type: 'ReserveStock',
      data: { ...step('reserve-stock'), lines: lines.map(({ sku, quantity }) => ({ sku, quantity })) },
    }),
    release: { type: 'ReleaseStock', data: step('reserve-stock/undo') } as InventoryCommand,
  };
}

/** Returns the events of an order's reservation, without the answers to repeats. */
export const reservationOf = async (id: string): Promise<readonly string[]> =>
  (await world.events({ aggregate: 'Reservation', id }))
    .map(({ type }) => type)
    .filter((type) => type !== 'SagaReplyRequested');
