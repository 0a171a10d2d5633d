import { refuseOf } from '../aws/queue-operations.js';
import { Refused } from '../aws/refused.js';
import type { Queue } from '../aws/sqs.js';
import type { Cloud } from '../cloud.js';
import { NotModelled } from '../dynamodb/errors.js';
import type { Operations } from './operation.js';

const MOST_AT_ONCE = 10;

/**
 * Redrive of dead-letter queues. Amazon SQS API Reference, "StartMessageMoveTask"; Developer Guide, "Configuring a
 * dead-letter queue redrive": moved messages are new ones. A task moves at once what can be received.
 */
export function moveTasks({ queues, world }: Cloud): Operations {
  const tasks: { readonly SourceArn: string; readonly [member: string]: unknown }[] = [];
  const sourcesOf = (deadLetters: Queue): readonly Queue[] =>
    [...queues.values()].filter(({ redrive }) => redrive?.to === deadLetters);
  const deadLettersAt = (arn: unknown): Queue => {
    const found = queues.get(String(arn));
    if (!found) throw new Refused('com.amazonaws.sqs#ResourceNotFoundException', 'The resource does not exist.', 404);
    if (sourcesOf(found).length === 0)
      throw refuseOf('InvalidParameterValue', 'Source queue must be configured as a Dead Letter Queue.');
    return found;
  };
  const targetOf = (deadLetters: Queue, arn: unknown): Queue => {
    const [first, ...others] = arn === undefined ? sourcesOf(deadLetters) : [queues.get(String(arn))];
    if (!first) throw new Refused('com.amazonaws.sqs#ResourceNotFoundException', 'The resource does not exist.', 404);
    if (others.length > 0) throw new NotModelled('a redrive to several source queues without a DestinationArn');
    return first;
  };
  return {
    StartMessageMoveTask: ({ SourceArn, DestinationArn }) => {
      const from = deadLettersAt(SourceArn);
      const to = targetOf(from, DestinationArn);
      let moved = 0;
      for (let some = from.receive(MOST_AT_ONCE); some.length > 0; some = from.receive(MOST_AT_ONCE)) {
        for (const { body, group, attributes, receipt } of some) {
          to.send({ body, ...(group && { group }), ...(attributes && { attributes }) });
          from.delete(receipt);
          moved++;
        }
      }
      const task = {
        Status: 'COMPLETED',
        SourceArn: from.resource.arn,
        DestinationArn: to.resource.arn,
        ApproximateNumberOfMessagesMoved: moved,
        ApproximateNumberOfMessagesToMove: moved,
        StartedTimestamp: world.now,
      };
      tasks.unshift(task);
      return { TaskHandle: Buffer.from(JSON.stringify(task)).toString('base64') };
    },
    ListMessageMoveTasks: ({ SourceArn, MaxResults = 1 }) => {
      const { arn } = deadLettersAt(SourceArn).resource;
      return { Results: tasks.filter((task) => task.SourceArn === arn).slice(0, Number(MaxResults)) };
    },
  };
}
