import { identifyResource } from '../../assembly/identity.js';
import type { FunctionCall, Operations } from '../../wire/operation.js';
import { NotModelled } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import { type Account, changeAttributes, checkSame, readAttributes, toProperties } from './attributes.js';
import { createQueue } from './fifo-queue.js';
import { findQueueByUrl, listQueues, QUEUE_OPERATIONS } from './messages.js';
import type { Queue } from './model.js';
import { moveTasks } from './move-tasks.js';
import { receive } from './receive.js';
import { invalid, sqsError } from './refusals.js';

const TYPE = 'AWS::SQS::Queue';
/** Milliseconds for which the name of a deleted queue stays taken. */
const NAME_FREE_AFTER = 60_000;

/** Queues and their messages. Amazon SQS API Reference, "Actions". */
export function sqsApi(cloud: Account): Operations {
  const at = ({ QueueUrl }: Input): Queue => findQueueByUrl(cloud.queues, QueueUrl);
  const immediate = Object.entries(QUEUE_OPERATIONS).map(([name, carryOut]) => [
    name,
    (input: Input, call?: FunctionCall) => carryOut(at(input), input, call?.refusedEntries),
  ]);
  const deleted = new Map<string, number>();
  return {
    ...(Object.fromEntries(immediate) as Operations),
    ...moveTasks(cloud),
    ListQueues: (input) => listQueues(cloud.queues, input),
    GetQueueUrl: ({ QueueName }) => ({ QueueUrl: urlOf(findQueueByUrl(cloud.queues, QueueName)) }),
    GetQueueAttributes: (input) => {
      const Attributes = readAttributes(cloud, at(input), input.AttributeNames);
      return Object.keys(Attributes).length > 0 ? { Attributes } : {};
    },
    SetQueueAttributes: (input) => {
      changeAttributes(cloud, at(input), (input.Attributes ?? {}) as Readonly<Record<string, string>>);
      return {};
    },
    ReceiveMessage: (input) => receive(cloud, at(input), input),
    ListDeadLetterSourceQueues: (input) => {
      const deadLetters = at(input);
      const sources = [...cloud.queues.values()].filter(({ redrive }) => redrive?.to === deadLetters);
      return { queueUrls: sources.map(urlOf) };
    },
    CreateQueue: ({ QueueName, Attributes = {} }) => {
      const [name, attributes] = [String(QueueName), Attributes as Readonly<Record<string, string>>];
      const known = [...cloud.queues.values()].find((queue) => queue.name === name);
      if (known) {
        checkSame(cloud, known, attributes);
        return { QueueUrl: urlOf(known) };
      }
      if (cloud.world.now < (deleted.get(name) ?? Number.NEGATIVE_INFINITY) + NAME_FREE_AFTER)
        throw sqsError(
          'QueueDeletedRecently',
          'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
        );
      return { QueueUrl: urlOf(create(cloud, name, attributes)) };
    },
    DeleteQueue: (input) => {
      const queue = at(input);
      if (queue.resource.stack !== '') throw new NotModelled('the deletion of a queue that a stack has created');
      cloud.queues.delete(queue.resource.arn);
      deleted.set(queue.name, cloud.world.now);
      return {};
    },
  };
}

const urlOf = ({ resource }: Queue): string => resource.ref;

/** Creates a queue that belongs to no stack. */
function create(cloud: Account, name: string, attributes: Readonly<Record<string, string>>): Queue {
  const isFifo = attributes.FifoQueue === 'true';
  if (isFifo && !/^[\w-]{1,75}\.fifo$/.test(name))
    throw invalid(
      'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length',
    );
  if (!isFifo && !/^[\w-]{1,80}$/.test(name))
    throw invalid('Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length');
  const resource = {
    ...identifyResource(TYPE, name, { QueueName: name }, cloud.home),
    stack: '',
    logicalId: name,
    type: TYPE,
    label: name,
    properties: toProperties(attributes),
  };
  const queue = createQueue(resource, cloud.world, cloud.faults);
  const { FifoQueue: _, ...changeable } = attributes;
  changeAttributes(cloud, queue, isFifo ? changeable : attributes);
  cloud.queues.set(resource.arn, queue);
  return queue;
}
