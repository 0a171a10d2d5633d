import type { Context, SQSEvent } from 'aws-lambda';
import { Env } from '../../platform/environment.js';
import { required } from '../../platform/read-environment.js';
import { GuardedProvider } from './provider/guarded-provider.js';
import { SandboxProvider } from './provider/sandbox-provider.js';
import { providerConsumer } from './provider-consumer.js';

const provider = new GuardedProvider(
  new SandboxProvider(required(Env.SANDBOX)),
  required(Env.GUARD),
  required(Env.CONSUMER),
);
const consume = providerConsumer(provider);

/** Payments of environments without a provider of money. */
export const handler = (event: SQSEvent, context: Context) => {
  provider.begins(context);
  return consume(event, context);
};
