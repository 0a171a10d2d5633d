import { identityOf } from '../assembly/identity.js';
import { listQueues, QUEUE_OPERATIONS, queueAt, refuseOf } from '../aws/queue-operations.js';
import { Queue } from '../aws/sqs.js';
import type { Cloud } from '../cloud.js';
import { NotModelled } from '../dynamodb/errors.js';
import type { Input } from '../wire/request.js';
import { moveTasks } from './move-tasks.js';
import type { Operations } from './operation.js';
import { attributesIn, changeAttributes, propertiesOf } from './queue-attributes.js';
import { receive } from './receive.js';

const TYPE = 'AWS::SQS::Queue';

/** Queues and their messages. Amazon SQS API Reference, "Actions". */
export function queues(cloud: Cloud): Operations {
  const at = ({ QueueUrl }: Input): Queue => queueAt(cloud.queues, QueueUrl);
  const immediate = Object.entries(QUEUE_OPERATIONS).map(([name, carryOut]) => [
    name,
    (input: Input) => carryOut(at(input), input),
  ]);
  return {
    ...(Object.fromEntries(immediate) as Operations),
    ...moveTasks(cloud),
    ListQueues: (input) => listQueues(cloud.queues, input),
    GetQueueUrl: ({ QueueName }) => ({ QueueUrl: urlOf(queueAt(cloud.queues, QueueName)) }),
    GetQueueAttributes: (input) => ({ Attributes: attributesIn(cloud, at(input), input.AttributeNames) }),
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
      const name = String(QueueName);
      const known = [...cloud.queues.values()].find((queue) => queue.name === name);
      return { QueueUrl: urlOf(known ?? create(cloud, name, Attributes as Readonly<Record<string, string>>)) };
    },
    DeleteQueue: (input) => {
      const queue = at(input);
      if (queue.resource.stack !== '') throw new NotModelled('the deletion of a queue that a stack has created');
      cloud.queues.delete(queue.resource.arn);
      return {};
    },
  };
}

const urlOf = ({ resource }: Queue): string => resource.ref;

/** Creates a queue that belongs to no stack. */
function create(cloud: Cloud, name: string, attributes: Readonly<Record<string, string>>): Queue {
  if (!/^[\w-]{1,80}$/.test(name)) {
    if (name.endsWith('.fifo')) throw new NotModelled('a FIFO queue');
    throw refuseOf(
      'InvalidParameterValue',
      'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
    );
  }
  const resource = {
    ...identityOf(TYPE, name, { QueueName: name }),
    stack: '',
    logicalId: name,
    type: TYPE,
    label: name,
    properties: propertiesOf(attributes),
  };
  const queue = new Queue(resource, cloud.world, cloud.faults);
  changeAttributes(cloud, queue, attributes);
  cloud.queues.set(resource.arn, queue);
  return queue;
}
