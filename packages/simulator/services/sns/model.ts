import type { Assembly } from '../../assembly/assembly.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { DELIVERY_FAULTS, type FaultPlan } from '../../engine/faults.js';
import type { AsyncInvoker } from '../events/model.js';
import type { Iam } from '../iam/model.js';
import { recognisedBy } from '../sqs/fifo-queue.js';
import type { Queue } from '../sqs/model.js';
import { offer } from '../sqs/offer.js';
import { FifoTopic, IN_ORDER_FAULTS, type Published } from './fifo-topic.js';
import { type NewTopicMessage, type TopicMessage, toFunctionEvent, toQueueBody } from './message.js';
import { readSubscriptions, type Subscription } from './subscription.js';

/** A delivery that is still to be made: of one message to one subscription. */
export interface PendingNotification {
  readonly name: string;
  /** ARN of the subscription. */
  readonly subscription: string;
  readonly message: TopicMessage;
  /** When it comes; this and the other times are milliseconds since 1970. */
  readonly at: number;
  readonly begun: number;
  readonly tries: number;
  readonly downUntil: number;
}

const UNREACHABLE_FOR = 90_000;
/**
 * Amazon SNS Developer Guide, "Amazon SNS message delivery retries", endpoints of AWS: 100,015 attempts within 23 days. The model makes an
 * attempt every 20 s at first, and fewer later, since each of them would only find the endpoint out of reach.
 */
const MAX_AGE = 23 * 86_400_000;
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 3_600_000;

/**
 * Topics and their subscriptions of queues and functions. Each message is delivered at least once, in any order, but for FIFO queues of FIFO
 * topics. Amazon SNS Developer Guide, "Amazon SNS message filtering", "Amazon SNS raw message delivery", "Amazon SNS dead-letter queues".
 */
export class Topics {
  private readonly subscriptions: readonly Subscription[];
  private readonly arns: ReadonlySet<string>;
  /** FIFO topics by their ARNs. */
  private readonly fifo: ReadonlyMap<string, FifoTopic>;
  private readonly undelivered = new Set<PendingNotification>();
  private deliveries = 0;

  constructor(
    assembly: Assembly,
    private readonly around: {
      readonly world: EventLoop;
      readonly faults: FaultPlan;
      readonly iam: Iam;
      readonly queues: ReadonlyMap<string, Queue>;
      readonly functions: AsyncInvoker;
      /** Gets the subscriptions that have no model. */
      readonly met: ObstaclesMet;
    },
  ) {
    const topics = assembly.findByType('AWS::SNS::Topic');
    this.arns = new Set(topics.map(({ arn }) => arn));
    this.fifo = new Map(
      topics.flatMap((topic) => (topic.properties.FifoTopic === true ? [[topic.arn, new FifoTopic(topic)]] : [])),
    );
    this.subscriptions = [...topics, ...assembly.findByType('AWS::SNS::Subscription')].flatMap(
      (resource) => around.met.attempt(resource, () => readSubscriptions(resource, assembly)) ?? [],
    );
  }

  /** Whether there is a topic. @param arn its ARN */
  has(arn: string): boolean {
    return this.arns.has(arn);
  }

  isFifo(arn: string): boolean {
    return this.fifo.has(arn);
  }

  /** ARNs of the topics. */
  list(): readonly string[] {
    return [...this.arns];
  }

  /** Whether a program subscribes to a topic. A topic of people alone has no part in a history. */
  reachesPrograms(arn: string): boolean {
    return this.subscriptions.some(({ topic }) => topic === arn);
  }

  /**
   * Takes a message; each subscription that it fits gets it.
   * @throws {Refused} if a FIFO topic can't order or recognise it
   */
  publish(topic: string, given: NewTopicMessage): Published {
    const { world } = this.around;
    const fifo = this.fifo.get(topic);
    const known = fifo?.find(given, world.now);
    if (known) {
      world.note(`${topic.split(':').at(-1)} has ${known.id} already: it was published again`);
      return known;
    }
    const published: Published = fifo?.take(world.random.id(), given, world.now) ?? { id: world.random.id() };
    const { id } = published;
    const { attributes = {}, ...others } = given;
    const message: TopicMessage = { ...others, ...published, topic, attributes, at: world.now };
    world.tell(() => ({ kind: 'message', owner: topic, id, target: topic, outcome: 'published' }));
    for (const subscription of this.subscriptions)
      if (subscription.topic === topic && subscription.fits(message)) this.handOver(subscription, message);
    return published;
  }

  /** Deliveries that are still to be made. */
  get pending(): readonly PendingNotification[] {
    return [...this.undelivered];
  }

  /** Takes a delivery over from another time of this deployment; a subscription that is gone gets nothing. */
  plan(notification: PendingNotification): void {
    const { world } = this.around;
    this.undelivered.add(notification);
    const deliver = (): void => {
      this.undelivered.delete(notification);
      this.deliver(notification);
    };
    world.after(notification.at - world.now, deliver, 'SNS: a notification is delivered');
  }

  private handOver(subscription: Subscription, message: TopicMessage): void {
    const { label, arn } = subscription;
    const { world, faults } = this.around;
    const name = `${label} delivery ${++this.deliveries}`;
    const kinds = this.keepsOrder(subscription) ? IN_ORDER_FAULTS : DELIVERY_FAULTS;
    const fault = faults.faultAt({ id: name, kinds });
    world.note(`${name}${fault ? ` FAULT ${fault}` : ''}`);
    this.tell(label, name, fault === 'lost' ? 'lost' : 'began', fault);
    if (fault === 'lost') return;
    const begun = world.now;
    const at =
      begun + world.latency((random) => (random.chance(0.02) ? random.between(200, 5_000) : random.between(5, 60)));
    const outage = fault === 'undeliverable' ? 2 * MAX_AGE : fault === 'undeliverable-at-first' ? UNREACHABLE_FOR : 0;
    const notification = {
      name,
      subscription: arn,
      message,
      begun,
      tries: 1,
      downUntil: outage > 0 ? begun + outage : 0,
    };
    this.plan({ ...notification, at });
    if (fault === 'delivered-twice') this.plan({ ...notification, at: at + 30_000 });
  }

  private deliver(notification: PendingNotification): void {
    const { world } = this.around;
    const { name, message, tries, begun, downUntil } = notification;
    const subscription = this.subscriptions.find(({ arn }) => arn === notification.subscription);
    if (!subscription) return;
    const ahead = this.keepsOrder(subscription) ? this.findAhead(notification) : undefined;
    if (ahead) {
      this.plan({ ...notification, at: Math.max(world.now, ahead.at) });
      return;
    }
    // A right that is missing is no outage: SNS doesn't try again.
    if (!this.mayReach(subscription, subscription.endpoint)) {
      this.giveUp(name, subscription, message, 'AccessDenied');
      return;
    }
    if (world.now >= downUntil) {
      // Developer Guide, "Amazon SNS message delivery retries": what an endpoint refuses for the message itself isn't tried again.
      if (this.handIn(subscription, subscription.endpoint, message)) this.tell(subscription.label, name, 'delivered');
      else this.giveUp(name, subscription, message, 'InvalidParameterValue');
      return;
    }
    const wait = Math.min(FIRST_WAIT * 2 ** tries, LONGEST_WAIT);
    if (world.now + wait - begun > MAX_AGE) this.giveUp(name, subscription, message, 'ServiceUnavailable');
    else this.plan({ ...notification, at: world.now + wait, tries: tries + 1 });
  }

  /** Whether a subscription gets the messages of a group in their order: a FIFO queue, of a FIFO topic. */
  private keepsOrder({ topic, endpoint }: Subscription): boolean {
    return this.fifo.has(topic) && this.around.queues.get(endpoint)?.isFifo === true;
  }

  /** Returns the delivery of an earlier message of the same group to the same subscription. */
  private findAhead({ subscription, message }: PendingNotification): PendingNotification | undefined {
    return [...this.undelivered].find(
      (one) =>
        one.subscription === subscription &&
        one.message.group === message.group &&
        (one.message.sequenceNumber ?? '') < (message.sequenceNumber ?? ''),
    );
  }

  /** @returns whether the endpoint took the message */
  private handIn({ arn, isRaw }: Subscription, endpoint: string, message: TopicMessage, more = {}): boolean {
    const queue = this.around.queues.get(endpoint);
    if (!queue) {
      this.around.functions.invokeAsync(endpoint, toFunctionEvent(message, arn));
      return true;
    }
    const attributes = { ...(isRaw && message.attributes), ...more };
    const { group, deduplicationId = recognisedBy(message.text) } = message;
    const refusal = offer(queue, {
      body: isRaw ? message.text : toQueueBody(message, arn),
      ...(group !== undefined && { group }),
      ...(queue.isFifo && { deduplicationId }),
      ...(Object.keys(attributes).length > 0 && { attributes }),
    });
    return refusal === undefined;
  }

  private mayReach({ topic }: Subscription, resource: string): boolean {
    const action = this.around.queues.has(resource) ? 'sqs:SendMessage' : 'lambda:InvokeFunction';
    const context = { 'aws:SourceArn': topic };
    return this.around.iam.resourceAllows(resource, { action, resource, context, service: 'sns.amazonaws.com' });
  }

  private giveUp(name: string, subscription: Subscription, message: TopicMessage, code: string): void {
    const { world, queues } = this.around;
    const { deadLetters, label } = subscription;
    const lose = (): void => {
      world.note(`${name} given up and LOST: ${code}`);
      this.tell(label, name, 'lost');
    };
    if (deadLetters === undefined || !queues.has(deadLetters) || !this.mayReach(subscription, deadLetters)) {
      lose();
      return;
    }
    world.note(`${name} given up: ${code}`);
    this.tell(label, name, 'given up');
    const attribute = (StringValue: string) => ({ DataType: 'String', StringValue });
    const why = { ErrorCode: attribute(code), ErrorMessage: attribute('simulated') };
    if (!this.handIn(subscription, deadLetters, message, why)) lose();
  }

  private tell(owner: string, id: string, outcome: string, fault?: string): void {
    this.around.world.tell(() => ({ kind: 'delivery', owner, id, outcome, ...(fault !== undefined && { fault }) }));
  }
}
