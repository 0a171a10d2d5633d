import { required } from '../../packages/kit/aws/read-environment.js';
import { PaymentsEnv } from './environment.js';
import { guardedConsumer } from './guarded-consumer.js';
import { SandboxProvider } from './provider/sandbox-provider.js';

/** Payments of environments without a provider of money. */
export const handler = guardedConsumer(new SandboxProvider(required(PaymentsEnv.SANDBOX)));
