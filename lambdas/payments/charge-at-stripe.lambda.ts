import { Env, required } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { payers, payments } from './aggregates.js';
import { PaymentsEnv } from './environment.js';
import { guardedConsumer } from './guarded-consumer.js';
import { StripeCustomers } from './provider/stripe-customers.js';
import { StripeProvider } from './provider/stripe-provider.js';
import { secretCalled } from './provider/stripe-secret.js';

const name = required(PaymentsEnv.STRIPE_SECRET);
const customers = new StripeCustomers(required(Env.TABLE));

/** Handles provider tasks whose money Stripe moves. */
export const handler = guardedConsumer(
  eventStoreOfFunction(payments),
  stateStoreOfFunction(payers),
  new StripeProvider(() => secretCalled(name), customers),
);
