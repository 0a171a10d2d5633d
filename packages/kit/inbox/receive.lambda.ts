import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import {
  readConsumerSince,
  readDedupeWindow,
  requireEnv,
  requireIntegerEnv,
  requireListEnv,
} from '../aws/read-environment.js';
import { publishMetrics } from '../aws/telemetry.js';
import type { InboxSettings } from './contract.js';
import { Receiver } from './receiver.js';

const { mode, payloads = 'plain' } = JSON.parse(requireEnv(Env.INBOX)) as InboxSettings;
const receiver = new Receiver({
  table: requireEnv(Env.RECORDS),
  consumer: { name: requireEnv(Env.CONSUMER), generation: requireIntegerEnv(Env.CONSUMER_GENERATION) },
  app: requireEnv(Env.APP),
  windowSeconds: readDedupeWindow(),
  since: readConsumerSince(),
  commanders: requireListEnv(Env.COMMANDERS),
  mode,
  payloads,
});

/** Stores the messages of an inbox and acknowledges them. It contains no code of a service. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  try {
    return await receiver.receiveBatch(event);
  } finally {
    publishMetrics();
  }
}
