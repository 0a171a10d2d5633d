import type { Operations } from '../../wire/operation.js';
import { NotModelled } from '../../wire/operation.js';
import type { Account } from './attributes.js';
import { type Queue, toNewMessage } from './model.js';
import { invalid, sqsError } from './refusals.js';

const MOST_AT_ONCE = 10;
/** Seconds for which a message is hidden while it moves. */
const HELD = 30;

/** Refuses the ARN of a queue that isn't there. */
const notFound = (parameter: string) =>
  sqsError(
    'ResourceNotFoundException',
    `The resource that you specified for the ${parameter} parameter doesn't exist.`,
    404,
  );

/**
 * Redrive of dead-letter queues. Amazon SQS API Reference, "StartMessageMoveTask"; Developer Guide, "Configuring a
 * dead-letter queue redrive": moved messages are new ones. A task moves at once what can be received.
 */
export function moveTasks({ queues, world }: Account): Operations {
  const tasks: { readonly SourceArn: string; readonly [member: string]: unknown }[] = [];
  const findSources = (deadLetters: Queue): readonly Queue[] =>
    [...queues.values()].filter(({ redrive }) => redrive?.to === deadLetters);
  const deadLettersAt = (arn: unknown): Queue => {
    const found = queues.get(String(arn));
    if (!found) throw notFound('SourceArn');
    if (findSources(found).length === 0) throw invalid('Source queue must be configured as a Dead Letter Queue.');
    return found;
  };
  /** Without a destination, a message returns to the queue that it came from. */
  const findTarget = (deadLetters: Queue, movedFrom: string | undefined): Queue => {
    const from = movedFrom === undefined ? undefined : queues.get(movedFrom);
    const [first, ...others] = findSources(deadLetters);
    if (from) return from;
    if (!first || others.length > 0) throw new NotModelled('a redrive of a message that came from no queue');
    return first;
  };
  return {
    StartMessageMoveTask: ({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond }) => {
      const from = deadLettersAt(SourceArn);
      if (MaxNumberOfMessagesPerSecond !== undefined) throw new NotModelled('the rate of a message move task');
      const to = DestinationArn === undefined ? undefined : queues.get(String(DestinationArn));
      if (DestinationArn !== undefined && !to) throw notFound('DestinationArn');
      let moved = 0;
      for (let some = from.receive(MOST_AT_ONCE, HELD); some.length > 0; some = from.receive(MOST_AT_ONCE, HELD)) {
        for (const message of some) {
          (to ?? findTarget(from, message.movedFrom)).takeBack(toNewMessage(message));
          from.delete(message.receipt);
          moved++;
        }
      }
      const { arn } = from.resource;
      tasks.unshift({
        Status: 'COMPLETED',
        SourceArn: arn,
        ...(to && { DestinationArn: to.resource.arn }),
        ApproximateNumberOfMessagesMoved: moved,
        ApproximateNumberOfMessagesToMove: moved,
        StartedTimestamp: world.now,
      });
      const handle = { taskId: world.random.id(), sourceArn: arn };
      return { TaskHandle: Buffer.from(JSON.stringify(handle)).toString('base64') };
    },
    ListMessageMoveTasks: ({ SourceArn, MaxResults = 1 }) => {
      const { arn } = deadLettersAt(SourceArn).resource;
      return { Results: tasks.filter((task) => task.SourceArn === arn).slice(0, Number(MaxResults)) };
    },
  };
}
