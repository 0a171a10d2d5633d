import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { compilePattern, type Pattern } from '../../patterns/compile.js';
import { matches } from '../../patterns/matches.js';
import type { TopicMessage } from './message.js';

/** A subscription of a queue or a function. */
export interface Subscription {
  /** Path of its construct. */
  readonly label: string;
  readonly arn: string;
  /** ARN of the topic. */
  readonly topic: string;
  readonly protocol: 'sqs' | 'lambda';
  /** ARN of the queue or the function. */
  readonly endpoint: string;
  /** Whether a queue gets the message alone, without the JSON around it. */
  readonly isRaw: boolean;
  /** ARN of the queue that gets what can't be delivered. */
  readonly deadLetters: string | undefined;
  readonly fits: (message: TopicMessage) => boolean;
}

/** Protocols by which people are reached, or their pagers. Amazon SNS API Reference, "Subscribe". */
const TO_PEOPLE = ['email', 'email-json', 'sms', 'http', 'https'];

/**
 * Reads the subscriptions of all topics that programs have. Those of people are left out.
 * @param resource `AWS::SNS::Subscription`, or a topic with subscriptions of its own
 * @throws {Error} if it has more than the model knows
 */
export const readSubscriptions = (resource: Resource, assembly: Assembly): readonly Subscription[] => {
  const { type, label, arn, properties } = resource;
  const own =
    type === 'AWS::SNS::Topic'
      ? ((properties.Subscription ?? []) as readonly JsonObject[]).map((one) => ({ TopicArn: arn, ...one }))
      : [properties];
  return own
    .filter(({ Protocol }) => !TO_PEOPLE.includes(String(Protocol)))
    .map((one, at) =>
      readSubscription(
        own.length > 1 ? `${label}/${at + 1}` : label,
        `${String(one.TopicArn)}:${resource.logicalId}-${at}`,
        one,
        assembly,
      ),
    );
};

function readSubscription(label: string, arn: string, properties: JsonObject, assembly: Assembly): Subscription {
  const { TopicArn, Protocol, Endpoint, FilterPolicy, FilterPolicyScope = 'MessageAttributes' } = properties;
  const { RawMessageDelivery = false, RedrivePolicy } = properties;
  if (Protocol !== 'sqs' && Protocol !== 'lambda')
    throw new Error(`${label}: a subscription by '${String(Protocol)}' isn't modelled`);
  const type = Protocol === 'sqs' ? 'AWS::SQS::Queue' : 'AWS::Lambda::Function';
  const endpoint = assembly.findByType(type).find((one) => one.arn === Endpoint || one.ref === Endpoint);
  if (!endpoint) throw new Error(`${label}: its endpoint ${String(Endpoint)} is no resource of this assembly`);
  const { deadLetterTargetArn } = readObject(RedrivePolicy) ?? {};
  const pattern = readObject(FilterPolicy);
  // A policy that SNS would refuse must not wait for its first message.
  if (pattern) compilePattern(pattern);
  return {
    label,
    arn,
    topic: String(TopicArn),
    protocol: Protocol,
    endpoint: endpoint.arn,
    isRaw: RawMessageDelivery === true || RawMessageDelivery === 'true',
    deadLetters: deadLetterTargetArn === undefined ? undefined : String(deadLetterTargetArn),
    fits: (message) => pattern === undefined || fits(pattern, FilterPolicyScope === 'MessageBody', message),
  };
}

/** Templates write a policy as an object or as its JSON. */
const readObject = (value: Json | undefined): JsonObject | undefined =>
  typeof value === 'string' ? (JSON.parse(value) as JsonObject) : ((value ?? undefined) as JsonObject | undefined);

/** Amazon SNS Developer Guide, "Amazon SNS message filtering": a message without JSON has no fields to compare. */
function fits(pattern: Pattern, isOfBody: boolean, { text, attributes }: TopicMessage): boolean {
  if (!isOfBody) return matches(pattern, Object.fromEntries(Object.entries(attributes).map(readAttribute)));
  try {
    return matches(pattern, JSON.parse(text));
  } catch {
    return false;
  }
}

function readAttribute([name, { DataType, StringValue = '' }]: [string, TopicMessage['attributes'][string]]) {
  if (DataType === 'Number') return [name, Number(StringValue)] as const;
  return [name, DataType === 'String.Array' ? (JSON.parse(StringValue) as unknown) : StringValue] as const;
}
