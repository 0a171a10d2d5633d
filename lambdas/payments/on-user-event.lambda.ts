import { Env, required } from '@orderly/kit/aws';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { payers } from './aggregates.js';
import { onUserEvent } from './on-user-event.js';
import { Payers } from './payers.js';
import { StripeCustomers } from './provider/stripe-customers.js';

/** Deletes what this service stores about a forgotten user and is not sealed, as the operator's `person forget` does. */
export const handler = consumer([
  onUserEvent(new StripeCustomers(required(Env.TABLE)), new Payers(stateStoreOfFunction(payers))),
]);
