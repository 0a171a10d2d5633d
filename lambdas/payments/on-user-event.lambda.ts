import { Env, required } from '@orderly/kit/aws';
import { consumer, on } from '@orderly/kit/idempotent-consumer';
import { StripeCustomers } from './provider/stripe-customers.js';
import { forgettings } from './subscriptions.js';

const stripeCustomers = new StripeCustomers(required(Env.TABLE));

/** Deletes what this service stores about a forgotten user and is not sealed, as the operator's `person forget` does. */
export const handler = consumer([
  on(forgettings, {
    UserForgotten: ({ event: { data } }) => ({ decide: async () => [stripeCustomers.forgetWrite(data.userId)] }),
  }),
]);
