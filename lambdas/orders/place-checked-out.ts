import { clock } from '@orderly/kit/aws';
import { decideOn } from '@orderly/kit/event-store';
import { on, type Source } from '@orderly/kit/idempotent-consumer';
import type { OrderStore } from './aggregates.js';
import { findRejection, type Standing } from './domain/admission.js';
import { checkoutCommands } from './subscriptions.js';

/**
 * Places the orders of baskets that were checked out. Nobody waits for an answer, so an order that `POST /orders` would
 * refuse is placed and rejected in one commit: its customer finds it under the id that the checkout answered.
 * @param readStanding checks whether a customer is blocked, or has reached a limit of orders
 */
export const placeCheckedOut = (
  orderStore: OrderStore,
  readStanding: (customerId: string, now: string) => Promise<Standing>,
): Source =>
  on(checkoutCommands, {
    PlaceOrder: ({ event: { data }, trace }) => ({
      decide: async () => {
        const { orderId, customerId, lines } = data;
        const rejection = findRejection(lines, await readStanding(customerId, clock.now()));
        const command = {
          type: 'PlaceUnattended',
          orderId,
          customerId,
          lines,
          ...(rejection ? { rejection } : {}),
        } as const;
        return [(await decideOn(orderStore, { id: orderId, command, trace })).write];
      },
    }),
  });
