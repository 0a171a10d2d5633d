import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { consumerSince, dedupeWindow, required, requiredInteger, requiredList } from '../aws/read-environment.js';
import { publishMetrics } from '../aws/telemetry.js';
import type { InboxSettings } from './contract.js';
import { Receiver } from './receiver.js';

const receiver = new Receiver({
  table: required(Env.RECORDS),
  consumer: { name: required(Env.CONSUMER), generation: requiredInteger(Env.CONSUMER_GENERATION) },
  app: required(Env.APP),
  windowSeconds: dedupeWindow(),
  since: consumerSince(),
  commanders: requiredList(Env.COMMANDERS),
  mode: (JSON.parse(required(Env.INBOX)) as InboxSettings).mode,
});

/** Stores the messages of an inbox and acknowledges them. It contains no code of a service. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  try {
    return await receiver.batch(event);
  } finally {
    publishMetrics();
  }
}
