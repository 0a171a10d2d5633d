import { Annotations, type Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { toWindowSeconds } from '../base/dedupe-window.js';
import type { ConsumerDescription } from '../base/outputs.js';
import { type ServiceContext, ServiceFunction } from '../base/service-function.construct.js';
import {
  DEFAULT_CONCURRENCY,
  IdempotentConsumer,
  type IdempotentConsumerProps,
} from '../idempotent-consumer/idempotent-consumer.construct.js';
import { type EventSubscription, isEventSubscription } from '../messages/subscriptions.js';

/** Function that handles messages from the bus. */
export interface ListenerProps
  extends Pick<IdempotentConsumerProps, 'name' | 'subscribesTo' | 'generation' | 'since' | 'maxConcurrency' | 'fair'> {
  /** Entry point of the handler. @default the name */
  readonly entry?: string;
  /** Timeout of one batch. @default the timeout of every function */
  readonly timeout?: Duration;
}

/** Resources of a service that each of its listeners uses. */
interface ServiceScope extends Pick<IdempotentConsumerProps, 'bus' | 'records' | 'alarmTopic'> {
  readonly context: ServiceContext;
  readonly environment: Readonly<Record<string, string>>;
}

/** Description of a listener, to which its service adds the kind. */
type ListenerDescription = Omit<ConsumerDescription, 'projection' | 'rebuild' | 'saga' | 'inbox'>;

/** Adds a handler with its consumer to a service. */
export function addListener(
  scope: Construct,
  id: string,
  { context, environment, name, entry = name, timeout, ...props }: ListenerProps & ServiceScope,
): { readonly consumer: IdempotentConsumer; readonly description: ListenerDescription } {
  const handler = new ServiceFunction(scope, `On${id}`, {
    context,
    entry,
    kind: 'message',
    environment,
    reservedConcurrency: props.maxConcurrency ?? DEFAULT_CONCURRENCY,
    ...(timeout === undefined ? {} : { timeout }),
  });
  const consumer = new IdempotentConsumer(scope, id, { ...props, name, handler });
  const { queue, generation, since, dedupeWindow, longestRedelivery } = consumer;
  const { subscribesTo } = props;
  for (const type of subscribesTo.filter(isEventSubscription).flatMap(findTypesOffBus)) {
    Annotations.of(consumer).addError(
      `'${name}' subscribes to ${type}, which its publisher doesn't publish (onBus: false): remove the type here, or onBus there`,
    );
  }
  const description = {
    name,
    generation,
    ...(since === undefined ? {} : { since }),
    queueUrl: queue.queueUrl,
    events: subscribesTo
      .filter(isEventSubscription)
      .map(({ contract, types }) => ({ service: contract.service, types })),
    takesCommands: !subscribesTo.every(isEventSubscription),
    dedupeWindowSeconds: toWindowSeconds(dedupeWindow),
    longestRedeliverySeconds: longestRedelivery.toSeconds(),
  };
  return { consumer, description };
}

/** Returns the types of a subscription that nobody publishes, each with its service: `orders.StepDone`. */
const findTypesOffBus = ({ contract: { service, events }, types }: EventSubscription): readonly string[] =>
  types.filter((type) => events[type]?.onBus === false).map((type) => `${service}.${type}`);
