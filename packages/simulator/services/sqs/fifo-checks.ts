import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import type { FifoQueue } from './fifo-queue.js';
import type { Queue } from './model.js';

type Queues = ReadonlyMap<string, Queue>;

/** Connects queues with their dead-letter queues. Amazon SQS, "Using dead-letter queues": both are of one type. */
export function connectDeadLetters(queues: Queues, met: ObstaclesMet): void {
  for (const queue of queues.values()) {
    const target = queues.get(queue.deadLetterTargetArn ?? '');
    if (!target) continue;
    met.attempt(queue.resource, () => {
      if (target.isFifo !== queue.isFifo)
        throw new Error(`${queue.label}: its dead-letter queue ${target.label} is of another type; AWS refuses that`);
      queue.connect(target);
    });
  }
}

/**
 * Checks who sends to FIFO queues by itself: AWS refuses what has no message group, and what has nothing by which a message is recognised.
 * Amazon EventBridge, "Event bus targets"; AWS Lambda, "Asynchronous invocation"; Amazon SNS, "Fanout to Amazon SQS queues".
 */
export function checkFifoTargets(assembly: Assembly, queues: Queues, met: ObstaclesMet): void {
  const fifoTopics = new Set(
    assembly
      .findByType('AWS::SNS::Topic')
      .flatMap(({ arn, properties }) => (properties.FifoTopic === true ? [arn] : [])),
  );
  const fifo = (arn: unknown): FifoQueue | undefined => {
    const queue = queues.get(String(arn));
    return queue?.isFifo ? (queue as FifoQueue) : undefined;
  };
  const refuse = ({ label }: Resource, what: string, queue: FifoQueue, why: string): never => {
    throw new Error(`${label}: ${what} ${queue.label} is a FIFO queue: ${why}`);
  };
  const checkDeadLetters = (resource: Resource, arn: unknown): void => {
    const queue = fifo(arn);
    if (queue) refuse(resource, 'its dead-letter queue', queue, 'AWS takes a standard one');
  };
  /** Amazon SNS, "Amazon SNS FIFO topics": no other service publishes to one by itself, since it gives no message group. */
  const checkTopic = ({ label }: Resource, arn: unknown): void => {
    if (fifoTopics.has(String(arn)))
      throw new Error(`${label}: no service sends to the FIFO topic ${String(arn)} by itself`);
  };
  const checkTarget = (resource: Resource, { Arn, SqsParameters, DeadLetterConfig }: JsonObject): void => {
    const queue = fifo(Arn);
    const { MessageGroupId } = (SqsParameters ?? {}) as JsonObject;
    if (queue && MessageGroupId === undefined)
      refuse(resource, 'its target', queue, 'AWS asks for SqsParameters.MessageGroupId');
    if (queue && !queue.contentBased) refuse(resource, 'its target', queue, 'it needs ContentBasedDeduplication');
    checkDeadLetters(resource, (DeadLetterConfig as JsonObject | undefined)?.Arn);
    checkTopic(resource, Arn);
  };
  const each = (type: string, check: (resource: Resource, properties: JsonObject) => void): void => {
    for (const resource of assembly.findByType(type)) met.attempt(resource, () => check(resource, resource.properties));
  };
  each('AWS::Events::Rule', (rule, { Targets = [] }) => {
    for (const target of [Targets].flat()) checkTarget(rule, target as JsonObject);
  });
  each('AWS::Scheduler::Schedule', (schedule, { Target }) => checkTarget(schedule, (Target ?? {}) as JsonObject));
  each('AWS::SNS::Subscription', (subscription, { TopicArn, Protocol, Endpoint, RedrivePolicy }) => {
    // A topic of another app tells by its name.
    if (fifoTopics.has(String(TopicArn)) || String(TopicArn).endsWith('.fifo')) {
      if (Protocol !== 'sqs')
        throw new Error(`${subscription.label}: a FIFO topic delivers to queues only, not by '${String(Protocol)}'`);
      return;
    }
    checkDeadLetters(subscription, (RedrivePolicy as JsonObject | undefined)?.deadLetterTargetArn);
    const queue = fifo(Endpoint);
    if (queue) refuse(subscription, 'its endpoint', queue, 'a standard topic does not deliver there');
  });
  each('AWS::Lambda::Function', (fn, { DeadLetterConfig }) => {
    checkDeadLetters(fn, (DeadLetterConfig as JsonObject | undefined)?.TargetArn);
    checkTopic(fn, (DeadLetterConfig as JsonObject | undefined)?.TargetArn);
  });
  each('AWS::Lambda::EventSourceMapping', (mapping, { DestinationConfig }) => {
    const { OnFailure } = (DestinationConfig ?? {}) as { readonly OnFailure?: JsonObject };
    checkDeadLetters(mapping, OnFailure?.Destination);
    checkTopic(mapping, OnFailure?.Destination);
  });
  each('AWS::Lambda::EventInvokeConfig', (config, { DestinationConfig }) => {
    for (const destination of Object.values((DestinationConfig ?? {}) as JsonObject)) {
      const queue = fifo((destination as JsonObject).Destination);
      if (queue) refuse(config, 'its destination', queue, 'AWS takes a standard one');
      checkTopic(config, (destination as JsonObject).Destination);
    }
  });
}
