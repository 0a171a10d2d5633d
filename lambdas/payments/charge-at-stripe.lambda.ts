import { Env, requireEnv } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { payers, payments } from './aggregates.js';
import { PaymentsEnv } from './environment.js';
import { guardedConsumer } from './guarded-consumer.js';
import { StripeCustomers } from './provider/stripe-customers.js';
import { StripeProvider } from './provider/stripe-provider.js';
import { readSecret } from './provider/stripe-secret.js';

const name = requireEnv(PaymentsEnv.STRIPE_SECRET);
const customers = new StripeCustomers(requireEnv(Env.TABLE));

/** Handles provider tasks whose money Stripe moves. */
export const handler = guardedConsumer(
  eventStoreFromEnvironment(payments),
  stateStoreFromEnvironment(payers),
  new StripeProvider(() => readSecret(name), customers),
);
