import type { Json, JsonObject } from '../assembly/intrinsics.js';
import type { Iam } from '../aws/iam.js';
import { refuseOf } from '../aws/queue-operations.js';
import type { Queue, QueueSettings } from '../aws/sqs.js';
import { NotModelled } from '../dynamodb/errors.js';
import type { World } from '../world/world.js';

/** Attributes that are a setting of the model, in seconds, with their limits. "SetQueueAttributes". */
const SETTINGS: Readonly<Record<string, readonly [setting: keyof QueueSettings, least: number, most: number]>> = {
  VisibilityTimeout: ['visibility', 0, 43_200],
  MessageRetentionPeriod: ['retention', 60, 1_209_600],
  DelaySeconds: ['delay', 0, 900],
  ReceiveMessageWaitTimeSeconds: ['wait', 0, 20],
};

/** Attributes that change nothing that a client sees, besides themselves. */
const INERT = new Set(['SqsManagedSseEnabled', 'KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'RedriveAllowPolicy']);

type Attributes = Readonly<Record<string, string>>;

/** Parts of an account that the attributes of its queues need. */
interface Account {
  readonly world: World;
  readonly iam: Iam;
}

/** Policies, and queues by their ARNs. */
interface Around {
  readonly iam: Iam;
  readonly queues: ReadonlyMap<string, Queue>;
}

/** Attributes of queues that have no model: they are only shown. */
const shown = new WeakMap<Queue, Attributes>();

/** Returns the properties that a template would have for these attributes. */
export const propertiesOf = (attributes: Attributes): JsonObject =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (SETTINGS[name] ? [[name, Number(value)]] : [])),
  );

/** @param names as GetQueueAttributes lists them: `All`, or names */
export function attributesIn(account: Account, queue: Queue, names: unknown = []): Attributes {
  const asked = names as readonly string[];
  const all = allAttributes(account, queue);
  if (asked.includes('All')) return all;
  const unknown = asked.find(
    (name) => !(name in all) && !(name in SETTINGS) && !INERT.has(name) && !OPTIONAL.has(name),
  );
  if (unknown !== undefined) throw refuseOf('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
  return Object.fromEntries(Object.entries(all).filter(([name]) => asked.includes(name)));
}

/** Attributes that some queues don't have. */
const OPTIONAL = new Set([
  'Policy',
  'RedrivePolicy',
  'FifoQueue',
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'FifoThroughputLimit',
]);

/** "GetQueueAttributes": all values are texts; numbers of messages are exact here. */
function allAttributes({ world, iam }: Account, queue: Queue): Attributes {
  const { resource, settings, redrive } = queue;
  const messages = queue.all();
  const hidden = messages.filter(({ visibleAt }) => visibleAt > world.now);
  const delayed = hidden.filter(({ receiveCount }) => receiveCount === 0);
  const policy = iam.policyOf(resource.arn);
  return {
    QueueArn: resource.arn,
    ApproximateNumberOfMessages: String(messages.length - hidden.length),
    ApproximateNumberOfMessagesNotVisible: String(hidden.length - delayed.length),
    ApproximateNumberOfMessagesDelayed: String(delayed.length),
    CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
    LastModifiedTimestamp: String(Math.floor(queue.changedAt / 1000)),
    VisibilityTimeout: String(settings.visibility),
    MaximumMessageSize: '1048576',
    MessageRetentionPeriod: String(settings.retention),
    DelaySeconds: String(settings.delay),
    ReceiveMessageWaitTimeSeconds: String(settings.wait),
    SqsManagedSseEnabled: 'true',
    ...(policy !== undefined && { Policy: JSON.stringify(policy) }),
    ...(redrive && {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: redrive.to.resource.arn,
        maxReceiveCount: redrive.maxReceives,
      }),
    }),
    ...shown.get(queue),
  };
}

/** @throws {Refused} @throws {NotModelled} */
export function changeAttributes({ queues, iam }: Around, queue: Queue, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    const known = SETTINGS[name];
    if (known) {
      const [setting, least, most] = known;
      const seconds = Number(value);
      if (!Number.isInteger(seconds) || seconds < least || seconds > most)
        throw refuseOf('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
      queue.configure({ [setting]: seconds });
    } else if (name === 'Policy') iam.replacePolicy(queue.resource.arn, parsed(name, value));
    else if (name === 'RedrivePolicy') redrive(queues, queue, value);
    else if (INERT.has(name)) shown.set(queue, { ...shown.get(queue), [name]: value });
    else if (name !== 'FifoQueue' || value !== 'false') throw new NotModelled(`the attribute ${name} of a queue`);
  }
}

function redrive(queues: Around['queues'], queue: Queue, value: string): void {
  if (value === '') {
    queue.connect(undefined, Number.POSITIVE_INFINITY);
    return;
  }
  const { deadLetterTargetArn, maxReceiveCount } = parsed('RedrivePolicy', value) as JsonObject;
  const target = queues.get(String(deadLetterTargetArn));
  if (!target)
    throw refuseOf(
      'InvalidAttributeValue',
      'Value for parameter RedrivePolicy is invalid. Reason: Dead letter target does not exist.',
    );
  queue.connect(target, Number(maxReceiveCount));
}

function parsed(name: string, value: string): Json {
  if (value === '') return {};
  try {
    return JSON.parse(value) as Json;
  } catch {
    throw refuseOf('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
  }
}
