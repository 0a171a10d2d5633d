import { required } from '@orderly/kit/aws';
import { PaymentsEnv } from './environment.js';
import { guardedConsumer } from './guarded-consumer.js';
import { SandboxProvider } from './provider/sandbox-provider.js';

/** Handles provider tasks in environments without a real payment provider. */
export const handler = guardedConsumer(new SandboxProvider(required(PaymentsEnv.SANDBOX)));
