import { dynamoDbTable, required } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { payers, payments } from './aggregates.js';
import { PaymentsEnv } from './environment.js';
import { guardedConsumer } from './guarded-consumer.js';
import { SandboxProvider } from './provider/sandbox-provider.js';

/** Handles provider tasks in environments without a real payment provider. */
export const handler = guardedConsumer(
  eventStoreOfFunction(payments),
  stateStoreOfFunction(payers),
  new SandboxProvider(dynamoDbTable(required(PaymentsEnv.SANDBOX))),
);
