import { dynamoDbTable, requireEnv } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { payers, payments } from './aggregates.js';
import { PaymentsEnv } from './environment.js';
import { guardedConsumer } from './guarded-consumer.js';
import { SandboxProvider } from './provider/sandbox-provider.js';

/** Handles provider tasks in environments without a real payment provider. */
export const handler = guardedConsumer(
  eventStoreFromEnvironment(payments),
  stateStoreFromEnvironment(payers),
  new SandboxProvider(dynamoDbTable(requireEnv(PaymentsEnv.SANDBOX))),
);
