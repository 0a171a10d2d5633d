import type { Context, SQSEvent } from 'aws-lambda';
import { Env } from '../../platform/environment.js';
import { required } from '../../platform/read-environment.js';
import { GuardedProvider } from './provider/guarded-provider.js';
import { StripeProvider } from './provider/stripe-provider.js';
import { secretCalled } from './provider/stripe-secret.js';
import { providerConsumer } from './provider-consumer.js';

const name = required(Env.STRIPE_SECRET);
const provider = new GuardedProvider(
  new StripeProvider(() => secretCalled(name)),
  required(Env.GUARD),
  required(Env.CONSUMER),
);
const consume = providerConsumer(provider);

/** Payments whose money Stripe moves. */
export const handler = (event: SQSEvent, context: Context) => {
  provider.begins(context);
  return consume(event, context);
};
