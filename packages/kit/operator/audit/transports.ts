import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { askBy } from '../ask-rebuilder.js';
import { messagesIn, readQueue } from '../status/queues.js';
import type { Transports } from './judge.js';

/** Asks queues and functions by clients that their owner closes. */
export const transportsBy = (sqs: SQSClient, lambda: LambdaClient): Omit<Transports, 'now'> => ({
  messagesIn: async (queueUrl) => {
    const [queue] = await readQueue(sqs, queueUrl);
    return queue ? messagesIn(queue.state) : 0;
  },
  shown: async (projection, ids) => {
    const { shown = {} } = await askBy(lambda, projection, { action: 'shown', ids });
    return shown;
  },
});
