import {
  type LambdaClient,
  paginateListEventSourceMappings,
  ResourceConflictException,
  ResourceInUseException,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ConsumerDescription } from '@orderly/kit/internal/base/outputs.js';
import { OperatorError } from '../cli/errors.js';

/** An event source mapping of a consumer's queue. */
export interface QueueMapping {
  readonly id: string;
  /** `Enabled`, `Disabled`, or what Lambda is doing: `Disabling`. */
  readonly state: string;
}

/** Messages that wait in the queues of a consumer, and how long they are kept. */
export interface WaitingMessages {
  readonly messages: number;
  /** Time for which a queue keeps a message, in seconds: of its queues the shortest. */
  readonly keptForSeconds: number;
}

/** The queues through which a consumer gets messages: its own, and that of its inbox's runner. */
const queuesOf = ({ queueUrl, inbox }: ConsumerDescription): readonly string[] => [
  queueUrl,
  ...(inbox ? [inbox.queueUrl] : []),
];

/** Reads the mappings of a consumer's queues, and what waits there. */
export async function readMappings(
  { lambda, sqs }: { readonly lambda: LambdaClient; readonly sqs: SQSClient },
  consumer: ConsumerDescription,
): Promise<{ readonly mappings: readonly QueueMapping[]; readonly waiting: WaitingMessages }> {
  const read = await Promise.all(
    queuesOf(consumer).map(async (QueueUrl) => {
      const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
      const EventSourceArn = Attributes.QueueArn;
      const mappings: QueueMapping[] = [];
      // By the queue and not by the function: AWS lists a function's mappings without those of its aliases.
      for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings(
        { client: lambda },
        { EventSourceArn },
      ))
        mappings.push(...EventSourceMappings.map(({ UUID: id = '', State: state = '' }) => ({ id, state })));
      const count = (name: keyof typeof Attributes): number => Number(Attributes[name] ?? 0);
      return {
        mappings,
        messages:
          count('ApproximateNumberOfMessages') +
          count('ApproximateNumberOfMessagesNotVisible') +
          count('ApproximateNumberOfMessagesDelayed'),
        keptFor: count('MessageRetentionPeriod'),
      };
    }),
  );
  return {
    mappings: read.flatMap(({ mappings }) => mappings),
    waiting: {
      messages: read.reduce((sum, { messages }) => sum + messages, 0),
      keptForSeconds: Math.min(...read.map(({ keptFor }) => keptFor)),
    },
  };
}

export const isOff = ({ state }: QueueMapping): boolean => state.startsWith('Disabl');

/**
 * Switches mappings on or off; those that are so already are left alone.
 * @throws {OperatorError} `refused` while Lambda still carries out an earlier change
 */
export async function switchMappings(
  lambda: LambdaClient,
  mappings: readonly QueueMapping[],
  enabled: boolean,
): Promise<void> {
  for (const { id: UUID } of mappings.filter((one) => isOff(one) === enabled)) {
    try {
      await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: enabled }));
    } catch (error) {
      if (!(error instanceof ResourceInUseException || error instanceof ResourceConflictException)) throw error;
      const message = `Lambda is still changing the event source mapping ${UUID}. Run the same command again in a minute.`;
      throw new OperatorError('refused', message, undefined, { cause: error });
    }
  }
}
