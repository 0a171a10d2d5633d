import { Env, requireEnv } from '@orderly/kit/aws';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { payers } from './aggregates.js';
import { onUserEvent } from './on-user-event.js';
import { Payers } from './payers.js';
import { StripeCustomers } from './provider/stripe-customers.js';

/** Deletes what this service stores about a forgotten user and is not sealed, as the operator's `person forget` does. */
export const handler = consumer([
  onUserEvent(new StripeCustomers(requireEnv(Env.TABLE)), new Payers(stateStoreFromEnvironment(payers))),
]);
