import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { FaultPlan } from '../../engine/faults.js';
import type { Iam } from '../iam/model.js';
import type { Queue } from '../sqs/model.js';
import { offer } from '../sqs/offer.js';

/** Type of the CDK's custom resource that configures a bucket. */
export const CONFIGURES_BUCKET = 'Custom::S3BucketNotifications';

/** Names of buckets that send events to the default bus by their custom resource. "Enabling Amazon EventBridge". */
export const findBucketsOnBus = (assembly: Assembly): ReadonlySet<string> =>
  new Set(
    assembly.findByType(CONFIGURES_BUCKET).flatMap(({ properties: { BucketName, NotificationConfiguration } }) => {
      const { EventBridgeConfiguration } = (NotificationConfiguration ?? {}) as JsonObject;
      return EventBridgeConfiguration === undefined ? [] : [String(BucketName)];
    }),
  );

/** Change of an object, as a notification tells it. */
export interface ObjectChange {
  readonly key: string;
  /** Name of the event: `ObjectCreated:Put`. */
  readonly event: string;
  /** Size, tag and version, as far as it has them. */
  readonly object: Readonly<Record<string, unknown>>;
}

/** One configuration of a bucket: which changes go where. */
interface Notification {
  readonly bucket: Resource;
  readonly id: string;
  /** Queue, topic or function. */
  readonly to: string;
  readonly events: readonly string[];
  readonly prefix: string;
  readonly suffix: string;
}

interface Around {
  readonly world: EventLoop;
  readonly faults: FaultPlan;
  readonly iam: Iam;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly functions: { invokeAsync(arn: string, event: unknown): void };
  readonly topics: {
    has(arn: string): boolean;
    isFifo(arn: string): boolean;
    publish(arn: string, message: object): void;
  };
  readonly met: ObstaclesMet;
}

/** Changes that objects have here. Nothing is copied, restored or put in parts, and what expires tells nobody. */
const EVENTS =
  /^s3:(ObjectCreated:(\*|Put|Post|Copy|CompleteMultipartUpload)|ObjectRemoved:(\*|Delete|DeleteMarkerCreated))$/;
const AGAIN_AFTER = 30_000;

/**
 * Notifications of buckets to functions, queues and topics. Amazon S3 User Guide, "Amazon S3 Event Notifications": each is delivered at
 * least once, typically in seconds; "Event message structure". The message by which S3 tests a new configuration comes before a history.
 */
export class BucketNotifications {
  private readonly notifications: readonly Notification[];
  private deliveries = 0;

  /** Gives the buckets' changes that their configurations name to their destinations. */
  constructor(
    private readonly assembly: Assembly,
    private readonly around: Around,
  ) {
    const { met } = around;
    this.notifications = [
      ...assembly.findByType('AWS::S3::Bucket').flatMap((bucket) => {
        const configuration = (bucket.properties.NotificationConfiguration ?? {}) as JsonObject;
        return met.attempt(bucket, () => this.read(bucket, bucket, configuration)) ?? [];
      }),
      ...assembly.findByType(CONFIGURES_BUCKET).flatMap((custom) => {
        const { BucketName, NotificationConfiguration = {} } = custom.properties;
        const configuration = NotificationConfiguration as JsonObject;
        return met.attempt(custom, () => this.read(custom, assembly.findByArn(BucketName), configuration)) ?? [];
      }),
    ];
  }

  /** Tells the destinations of a bucket's configurations of a change. */
  tell(bucket: Resource, change: ObjectChange): void {
    for (const notification of this.notifications)
      if (notification.bucket === bucket && fits(notification, change)) this.handOver(notification, change);
  }

  private handOver(notification: Notification, change: ObjectChange): void {
    const { world, faults } = this.around;
    const { label } = notification.bucket;
    const name = `${label} delivery ${++this.deliveries}`;
    const fault = faults.faultAt({ id: name, kinds: ['delivered-twice'] });
    world.note(`${name} of ${change.event} ${change.key}${fault ? ` FAULT ${fault}` : ''}`);
    const tell = (outcome: string): void =>
      world.tell(() => ({
        kind: 'delivery',
        owner: label,
        id: name,
        target: notification.to,
        outcome,
        ...(fault !== undefined && { fault }),
        type: change.event,
      }));
    tell(fault === 'lost' ? 'lost' : 'began');
    if (fault === 'lost') return;
    const message = { Records: [this.record(notification, change)] };
    const deliver = (): void => {
      tell(this.deliver(notification.to, message) ? 'delivered' : 'lost');
    };
    const delay = world.latency((random) => random.between(20, 500));
    world.after(delay, deliver, `${label}: a notification is delivered`);
    if (fault === 'delivered-twice') world.after(delay + AGAIN_AFTER, deliver, `${label}: a notification is delivered`);
  }

  /** @returns whether the destination took the message */
  private deliver(to: string, message: object): boolean {
    const { queues, topics, functions } = this.around;
    const text = JSON.stringify(message);
    const queue = queues.get(to);
    if (queue) return offer(queue, { body: text }) === undefined;
    if (topics.has(to)) topics.publish(to, { text, subject: 'Amazon S3 Notification' });
    else functions.invokeAsync(to, message);
    return true;
  }

  /** Writes a record. Amazon S3 User Guide, "Event message structure". */
  private record({ bucket, id }: Notification, { key, event, object }: ObjectChange): object {
    const { world } = this.around;
    const { account, region } = this.assembly.home;
    return {
      eventVersion: '2.1',
      eventSource: 'aws:s3',
      awsRegion: region,
      eventTime: new Date(world.now).toISOString(),
      eventName: event,
      userIdentity: { principalId: account },
      // RFC 5737: an address of nobody.
      requestParameters: { sourceIPAddress: '192.0.2.1' },
      responseElements: { 'x-amz-request-id': world.random.id(16), 'x-amz-id-2': 'simulated' },
      s3: {
        s3SchemaVersion: '1.0',
        configurationId: id,
        bucket: { name: bucket.ref, ownerIdentity: { principalId: account }, arn: bucket.arn },
        object: { key: encodeKey(key), ...object, sequencer: 'simulated' },
      },
    };
  }

  /** Reads a configuration: that of a template, or of the API, as the custom resource has it. */
  private read(owner: Resource, bucket: Resource, configuration: JsonObject): readonly Notification[] {
    const lists = ['Lambda', 'LambdaFunction', 'Queue', 'Topic'].map(
      (kind) => configuration[`${kind}Configurations`] ?? [],
    );
    return lists.flat().map((one, at) => {
      const { Id, Event, Events = Event, Filter, ...to } = one as JsonObject;
      const notification = {
        bucket,
        id: String(Id ?? `${owner.logicalId}-${at + 1}`),
        to: String(to.Function ?? to.LambdaFunctionArn ?? to.Queue ?? to.QueueArn ?? to.Topic ?? to.TopicArn),
        events: [Events ?? []].flat().map(String),
        ...readFilter(Filter as JsonObject | undefined),
      };
      const unknown = notification.events.find((event) => !EVENTS.test(event));
      if (unknown !== undefined) throw new Error(`notifications of ${unknown}`);
      this.check(notification);
      return notification;
    });
  }

  /** Checks what AWS checks of a new configuration. "Granting permissions to publish event notification messages to a destination". */
  private check({ bucket, to }: Notification): void {
    const { queues, topics, iam } = this.around;
    const queue = queues.get(to);
    if (queue?.isFifo || topics.isFifo(to))
      throw new Error(`${to} keeps an order, and AWS refuses it as a destination`);
    const isFunction = this.assembly.findByType('AWS::Lambda::Function').some(({ arn }) => arn === to);
    if (!queue && !topics.has(to) && !isFunction)
      throw new Error(`the destination ${to} is no queue, function or topic of this assembly`);
    const action = queue ? 'sqs:SendMessage' : isFunction ? 'lambda:InvokeFunction' : 'sns:Publish';
    const context = { 'aws:SourceArn': bucket.arn };
    if (!iam.resourceAllows(to, { action, resource: to, context, service: 's3.amazonaws.com' }))
      throw new Error(`the policy of ${to} doesn't allow S3 ${action}, so AWS refuses the configuration`);
  }
}

const fits = ({ events, prefix, suffix }: Notification, { key, event }: ObjectChange): boolean =>
  key.startsWith(prefix) &&
  key.endsWith(suffix) &&
  events.some((one) => one === `s3:${event}` || (one.endsWith('*') && `s3:${event}`.startsWith(one.slice(0, -1))));

/** Returns what a key begins and ends with. */
function readFilter(filter: JsonObject | undefined): { readonly prefix: string; readonly suffix: string } {
  const { S3Key, Key = S3Key } = filter ?? {};
  const { Rules, FilterRules = Rules } = (Key ?? {}) as JsonObject;
  const rules = [FilterRules ?? []].flat() as readonly JsonObject[];
  const textOf = (name: string): string =>
    String(rules.find(({ Name }) => String(Name).toLowerCase() === name)?.Value ?? '');
  return { prefix: textOf('prefix'), suffix: textOf('suffix') };
}

/** "Event message structure": a key is encoded as in an address, with `+` for a space. */
const encodeKey = (key: string): string => encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/');
