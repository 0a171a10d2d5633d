import * as z from 'zod/mini';
import { clock } from '../../packages/kit/aws/clock.js';
import { required } from '../../packages/kit/aws/read-environment.js';
import { consumer } from '../../packages/kit/idempotent-consumer/consumer.js';
import type { Handling } from '../../packages/kit/idempotent-consumer/listening.js';
import type { Trace } from '../../packages/kit/messages/trace.js';
import { customerLimits } from '../customer-limits.js';
import { Money, ordersContract } from '../orders/contract.js';
import { orderOfAccount, writesOf } from './account-store.js';
import { AccountRefused } from './domain/account.js';
import { decide, ending } from './domain/authorization.js';
import { AccountsEnv } from './environment.js';

const defaultCreditLimit = z.parse(Money, JSON.parse(required(AccountsEnv.DEFAULT_CREDIT_LIMIT)));
const limits = customerLimits();

/**
 * An order was approved: what is held for it is owed. It was cancelled afterwards: nothing is. Either may come first. While
 * its saga is under way, that alone gives back what it took.
 */
export const handler = consumer({
  contract: ordersContract,
  on: {
    OrderApproved: ({ event: { data }, trace }) => ended(data, 'APPROVED', trace),
    OrderCancelled: ({ event: { data }, trace }) =>
      data.underWay ? { decide: async () => [] } : ended(data, 'CANCELLED', trace),
  },
  isRefusal: (error) => error instanceof AccountRefused,
});

function ended(
  { orderId, customerId }: { readonly orderId: string; readonly customerId?: string },
  how: 'APPROVED' | 'CANCELLED',
  trace: Trace,
): Handling {
  return {
    decide: async () => {
      // Of orders from before the saga nothing was ever held.
      if (customerId === undefined) return [];
      const order = await orderOfAccount(customerId, orderId);
      const { account, authorization } = order;
      const command = ending(authorization, { orderId, customerId, how });
      const events = decide({ account: account.state, authorization }, command, {
        defaultCreditLimit,
        limits,
        now: clock.now(),
      });
      return writesOf(order, events, trace);
    },
  };
}
