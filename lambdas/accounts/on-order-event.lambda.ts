import { clock, required } from '@orderly/kit/aws';
import { consumer, type Handling, on } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import * as z from 'zod/mini';
import { customerLimits } from '../customer-limits.js';
import { Money } from '../orders/contract.js';
import { orderOfAccount, writesOf } from './account-store.js';
import { AccountRefused } from './domain/account.js';
import { commandForOrderEnd, decide } from './domain/authorization.js';
import { AccountsEnv } from './environment.js';
import { orderEnds } from './subscriptions.js';

const defaultCreditLimit = z.parse(Money, JSON.parse(required(AccountsEnv.DEFAULT_CREDIT_LIMIT)));
const limits = customerLimits();

/**
 * Captures the held amount when an order is approved, and releases or refunds it when the order is cancelled
 * afterwards. Either event may come first. While the order's saga is in progress, only the saga compensates.
 */
export const handler = consumer(
  [
    on(orderEnds, {
      OrderApproved: ({ event: { data }, trace }) => ended(data, 'APPROVED', trace),
      OrderCancelled: ({ event: { data }, trace }) =>
        data.underWay ? { decide: async () => [] } : ended(data, 'CANCELLED', trace),
    }),
  ],
  { isRefusal: (error) => error instanceof AccountRefused },
);

function ended(
  { orderId, customerId }: { readonly orderId: string; readonly customerId?: string },
  how: 'APPROVED' | 'CANCELLED',
  trace: Trace,
): Handling {
  return {
    decide: async () => {
      // Nothing was ever held for orders from before the saga.
      if (customerId === undefined) return [];
      const order = await orderOfAccount(customerId, orderId);
      const { account, authorization } = order;
      const command = commandForOrderEnd(authorization, { orderId, customerId, how });
      const events = decide({ account: account.state, authorization }, command, {
        defaultCreditLimit,
        limits,
        now: clock.now(),
      });
      return writesOf(order, events, trace);
    },
  };
}
