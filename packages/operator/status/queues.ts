import { GetQueueAttributesCommand, paginateListQueues, QueueDoesNotExist, type SQSClient } from '@aws-sdk/client-sqs';

/** A queue and what is in it now, as SQS counts it: approximately. */
export interface QueueState {
  readonly url: string;
  readonly name: string;
  /** Messages that nobody is handling. */
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  readonly isDeadLetters: boolean;
  /** Seconds for which a message is given to a function that crashes each time; absent without a dead-letter queue. */
  readonly triedForSeconds?: number;
}

/** Dead-letter queues of the kit that no `RedrivePolicy` names: what EventBridge and Lambda could not deliver. */
const UNDELIVERABLE = /Undelivered|Undrained/;

/**
 * Reads the queues of some stacks. CloudFormation begins the name of a queue with its stack's, unless the template names
 * it; such a queue is found only by `known`.
 * @param prefix of the stacks' names: `shop-dev-`
 * @param stacks last parts of their names
 * @param known addresses of queues that are read in any case. One that is gone is left out
 */
export async function readQueues(
  client: SQSClient,
  {
    prefix,
    stacks,
    known,
  }: { readonly prefix: string; readonly stacks: readonly string[]; readonly known: readonly string[] },
): Promise<readonly QueueState[]> {
  const urls = new Map(known.map((url) => [nameOf(url), url]));
  for await (const { QueueUrls = [] } of paginateListQueues({ client, pageSize: 1000 }, { QueueNamePrefix: prefix })) {
    for (const url of QueueUrls) {
      const [stack = ''] = nameOf(url).slice(prefix.length).split('-');
      if (stacks.includes(stack) && !urls.has(nameOf(url))) urls.set(nameOf(url), url);
    }
  }
  const read = (await Promise.all([...urls.values()].map((url) => readQueue(client, url)))).flat();
  const deadLetters = new Set(read.map(({ deadLetters }) => deadLetters));
  return read
    .map(({ state }) => ({ ...state, isDeadLetters: deadLetters.has(state.name) || UNDELIVERABLE.test(state.name) }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Returns the number of messages of a queue, in whatever state. */
export const totalMessages = ({
  visible,
  inFlight,
  delayed,
}: Pick<QueueState, 'visible' | 'inFlight' | 'delayed'>): number => visible + inFlight + delayed;

/** Reads the number of messages of a queue, in whatever state; 0 of one that is gone. */
export async function readBacklog(client: SQSClient, url: string): Promise<number> {
  const [queue] = await readQueue(client, url);
  return queue ? totalMessages(queue.state) : 0;
}

/** Returns the name of a queue: the last part of its address, or of its ARN. */
export const nameOf = (address: string): string => address.split(/[/:]/).at(-1) ?? '';

interface ReadQueue {
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly state: Omit<QueueState, 'isDeadLetters'>;
  /** Name of its dead-letter queue. */
  readonly deadLetters: string | undefined;
}

/** Reads one queue; nothing of one that is gone. */
export async function readQueue(client: SQSClient, url: string): Promise<readonly ReadQueue[]> {
  try {
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
    );
    const number = (name: keyof typeof Attributes): number => Number(Attributes[name] ?? 0);
    const redrive = JSON.parse(Attributes.RedrivePolicy || '{}') as {
      readonly deadLetterTargetArn?: string;
      readonly maxReceiveCount?: number | string;
    };
    const state = {
      url,
      name: nameOf(url),
      visible: number('ApproximateNumberOfMessages'),
      inFlight: number('ApproximateNumberOfMessagesNotVisible'),
      delayed: number('ApproximateNumberOfMessagesDelayed'),
      ...(redrive.maxReceiveCount !== undefined && {
        triedForSeconds: Number(redrive.maxReceiveCount) * number('VisibilityTimeout'),
      }),
    };
    const createdAt = new Date(number('CreatedTimestamp') * 1_000).toISOString();
    return [{ createdAt, state, deadLetters: redrive.deadLetterTargetArn && nameOf(redrive.deadLetterTargetArn) }];
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return [];
    throw error;
  }
}
