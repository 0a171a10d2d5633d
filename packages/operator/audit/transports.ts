import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { invokeRebuilder } from '../projections/rebuilder-client.js';
import { readMetrics } from '../status/metrics.js';
import { nameOf, readBacklog } from '../status/queues.js';
import type { AuditTransports } from './judge-deliveries.js';

/** Clients of an audit. Their owner closes them. */
export interface AuditClients {
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly cloudWatch: CloudWatchClient;
}

/** Asks queues, their metrics and functions. @param now returns the time, in ISO 8601, UTC */
export const createTransports = ({ sqs, lambda, cloudWatch }: AuditClients, now: () => string): AuditTransports => ({
  now,
  countMessages: (queueUrl) => readBacklog(sqs, queueUrl),
  oldestMessageAge: async (queueUrl) => {
    const name = nameOf(queueUrl);
    const { oldest } = await readMetrics(cloudWatch, { queues: [name], relays: [], sweepers: [] }, now());
    return oldest.get(name) ?? 0;
  },
  readerLag: async (reader) => {
    const { lag } = await readMetrics(cloudWatch, { queues: [], relays: [reader], sweepers: [] }, now());
    return lag.get(reader)?.lagSeconds ?? 0;
  },
  shown: async (projection, ids) => {
    const { shown = {} } = await invokeRebuilder(lambda, projection, { action: 'shown', ids });
    return shown;
  },
});
