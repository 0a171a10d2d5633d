import { createJointLane, type Lane } from '@orderly/kit/lane';
import type { AccountsContext } from './handle-order-command.js';
import { onCommand } from './on-command.js';
import { onOrderEvent } from './on-order-event.js';
import { onPaymentEvent } from './on-payment-event.js';

/** Returns the lane for accounts under contention: all commands on orders, whichever consumer receives their messages. */
export const accountLane = (context: AccountsContext): Lane =>
  createJointLane([onCommand(context), onOrderEvent(context), onPaymentEvent(context)]);
