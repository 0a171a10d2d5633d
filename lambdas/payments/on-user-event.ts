import { on, type Source } from '@orderly/kit/idempotent-consumer';
import type { Payers } from './payers.js';
import type { StripeCustomers } from './provider/stripe-customers.js';
import { userErasures } from './subscriptions.js';

/**
 * Deletes what connects a forgotten user with a person at the provider: the customer at Stripe, and the hash of the payment
 * method. The payments stay, and so do the times of those that were declined.
 */
export const onUserEvent = (customers: StripeCustomers, payers: Payers): Source =>
  on(userErasures, {
    UserForgotten: ({ event: { data } }) => ({
      decide: async () => [customers.forgetWrite(data.userId), payers.forgetMethodWrite(data.userId)],
    }),
  });
