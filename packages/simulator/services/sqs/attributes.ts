import { isDeepStrictEqual } from 'node:util';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { FaultPlan } from '../../engine/faults.js';
import type { Iam } from '../iam/model.js';
import { FifoQueue } from './fifo-queue.js';
import { MAX_BYTES, type Queue, type QueueSettings } from './model.js';
import { invalid, invalidValue, sqsError } from './refusals.js';

/** Attributes that are a setting of the model, in seconds or bytes, with their limits. "SetQueueAttributes". */
const SETTINGS: Readonly<Record<string, readonly [setting: keyof QueueSettings, least: number, most: number]>> = {
  VisibilityTimeout: ['visibility', 0, 43_200],
  MessageRetentionPeriod: ['retention', 60, 1_209_600],
  DelaySeconds: ['delay', 0, 900],
  ReceiveMessageWaitTimeSeconds: ['wait', 0, 20],
  MaximumMessageSize: ['size', 1_024, MAX_BYTES],
};

const [MANAGED, KEY, REUSE] = ['SqsManagedSseEnabled', 'KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds'];

/** Attributes that change nothing that a client sees, besides themselves. */
const INERT = new Set([MANAGED, KEY, REUSE, 'RedriveAllowPolicy']);

type Attributes = Readonly<Record<string, string>>;

/** Parts of an account that its queues need. */
export interface Account {
  readonly world: EventLoop;
  readonly faults: FaultPlan;
  readonly home: AccountAndRegion;
  readonly iam: Iam;
  /** By their ARNs. */
  readonly queues: Map<string, Queue>;
}

/** Attributes of queues that have no model: they are only shown. */
const shown = new WeakMap<Queue, Attributes>();

/** Returns the properties that a template would have for these attributes. */
export const toProperties = (attributes: Attributes): JsonObject =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
      if (SETTINGS[name]) return [[name, Number(value)]];
      if (FIFO.has(name)) return [[name, value === 'true']];
      return FIFO_ONLY.has(name) ? [[name, value]] : [];
    }),
  );

/** @param names as GetQueueAttributes lists them: `All`, or names */
export function readAttributes(account: Account, queue: Queue, names: unknown = []): Attributes {
  const asked = names as readonly string[];
  const all = allAttributes(account, queue);
  if (asked.includes('All')) return all;
  const unknown = asked.find(
    (name) => !(name in all) && !(name in SETTINGS) && !INERT.has(name) && !OPTIONAL.has(name),
  );
  if (unknown !== undefined) throw sqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
  return Object.fromEntries(Object.entries(all).filter(([name]) => asked.includes(name)));
}

/** Attributes that some queues don't have; those of FIFO queues are none of a standard queue. */
const FIFO = new Set(['FifoQueue', 'ContentBasedDeduplication']);
const FIFO_ONLY = new Set(['DeduplicationScope', 'FifoThroughputLimit']);
const OPTIONAL = new Set(['Policy', 'RedrivePolicy', ...FIFO, ...FIFO_ONLY]);

/** "GetQueueAttributes": all values are texts; numbers of messages are exact here. */
function allAttributes({ iam }: Account, queue: Queue): Attributes {
  const { resource, settings, redrive } = queue;
  const { visible, inFlight, delayed } = queue.counts;
  const policy = iam.findPolicy(resource.arn);
  return {
    QueueArn: resource.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
    LastModifiedTimestamp: String(Math.floor(queue.changedAt / 1000)),
    VisibilityTimeout: String(settings.visibility),
    MaximumMessageSize: String(settings.size),
    MessageRetentionPeriod: String(settings.retention),
    DelaySeconds: String(settings.delay),
    ReceiveMessageWaitTimeSeconds: String(settings.wait),
    [MANAGED]: 'true',
    ...(queue instanceof FifoQueue && fifoAttributes(queue)),
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

const fifoAttributes = ({ contentBased, perGroup }: FifoQueue): Attributes => ({
  FifoQueue: 'true',
  ContentBasedDeduplication: String(contentBased),
  DeduplicationScope: perGroup ? 'messageGroup' : 'queue',
  FifoThroughputLimit: 'perQueue',
});

/** Changes an attribute of a FIFO queue. The throughput has no limit here, so that limit is only shown. */
function changeFifo(queue: FifoQueue, name: string, value: string): void {
  if (name === 'FifoQueue')
    throw sqsError('InvalidAttributeName', 'You can specify FifoQueue only when you create a queue.');
  if (name === 'ContentBasedDeduplication') queue.contentBased = value === 'true';
  else if (name === 'DeduplicationScope') queue.perGroup = value === 'messageGroup';
  else show(queue, name, value);
}

/** @throws {Refused} @throws {NotModelled} */
export function changeAttributes(around: Account, queue: Queue, attributes: Attributes): void {
  const { iam } = around;
  if (attributes[KEY] && attributes[MANAGED] === 'true')
    throw sqsError(
      'InvalidAttributeName',
      'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
    );
  for (const [name, value] of Object.entries(attributes)) {
    const known = SETTINGS[name];
    if (known) {
      const [setting, least, most] = known;
      const number = Number(value);
      if (!Number.isInteger(number) || number < least || number > most)
        throw sqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
      queue.configure({ [setting]: number });
    } else if (name === 'Policy') iam.replacePolicy(queue.resource.arn, value === '' ? undefined : parsed(name, value));
    else if (name === 'RedrivePolicy') redrive(around.queues, queue, value);
    else if (INERT.has(name)) show(queue, name, value);
    else if (queue instanceof FifoQueue && (FIFO.has(name) || FIFO_ONLY.has(name))) changeFifo(queue, name, value);
    else if (FIFO.has(name)) throw sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
    else if (FIFO_ONLY.has(name))
      throw sqsError('InvalidAttributeName', `You can specify the ${name} only when FifoQueue is set to true.`);
    else throw sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
  }
}

/** Keeps an attribute that is only shown. A key of KMS ends the encryption by SQS, and without one nothing is reused. */
function show(queue: Queue, name: string, value: string): void {
  const all = { ...shown.get(queue), [name]: value, ...(name === KEY && { [MANAGED]: 'false' }) };
  const hidden = all[KEY] ? [] : [KEY, REUSE];
  shown.set(queue, Object.fromEntries(Object.entries(all).filter(([one]) => !hidden.includes(one))));
}

/**
 * Checks that a queue which is created again has what is asked for. Amazon SQS API Reference, "CreateQueue".
 * @throws {Refused}
 */
export function checkSame(account: Account, queue: Queue, attributes: Attributes): void {
  const all = allAttributes(account, queue);
  const other = Object.keys(attributes).find(
    (name) => !isDeepStrictEqual(comparable(attributes[name]), comparable(all[name])),
  );
  if (other === undefined) return;
  const message = `A queue already exists with the same name and a different value for attribute ${other}`;
  throw sqsError('QueueNameExists', message);
}

/** Reads an attribute's value, so that two that mean the same are equal: numbers may be texts in a policy. */
function comparable(text = ''): unknown {
  if (!text.startsWith('{')) return text;
  return JSON.parse(text, (_, value: unknown) => (typeof value === 'number' ? String(value) : value)) as unknown;
}

function redrive(queues: Account['queues'], queue: Queue, value: string): void {
  if (value === '') {
    queue.connect(undefined, Number.POSITIVE_INFINITY);
    return;
  }
  const { deadLetterTargetArn, maxReceiveCount } = parsed('RedrivePolicy', value) as JsonObject;
  if (deadLetterTargetArn === undefined) throw invalid("The required parameter 'deadLetterTargetArn' is missing");
  if (maxReceiveCount === undefined) throw invalid("The required parameter 'maxReceiveCount' is missing");
  const most = Number(maxReceiveCount);
  if (!(Number.isInteger(most) && most >= 1 && most <= 1_000)) {
    const reason = `Invalid value for maxReceiveCount: ${String(maxReceiveCount)}, valid values are from 1 to 1000 both inclusive.`;
    throw invalidValue(value, 'RedrivePolicy', reason);
  }
  const target = queues.get(String(deadLetterTargetArn));
  if (!target) throw invalidValue(value, 'RedrivePolicy', 'Dead letter target does not exist.');
  if (target.isFifo !== queue.isFifo)
    throw invalidValue(value, 'RedrivePolicy', 'Dead-letter target must be same type of queue as the source.');
  queue.connect(target, most);
}

function parsed(name: string, value: string): Json {
  try {
    return JSON.parse(value) as Json;
  } catch {
    throw sqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
  }
}
