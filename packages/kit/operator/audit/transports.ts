import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { askBy } from '../ask-rebuilder.js';
import { backlogOf } from '../status/queues.js';
import type { Transports } from './judge.js';

/** Asks queues and functions by clients that their owner closes. */
export const transportsBy = (sqs: SQSClient, lambda: LambdaClient): Omit<Transports, 'now'> => ({
  messagesIn: (queueUrl) => backlogOf(sqs, queueUrl),
  shown: async (projection, ids) => {
    const { shown = {} } = await askBy(lambda, projection, { action: 'shown', ids });
    return shown;
  },
});
