import type { Resource } from '../assembly/assembly.js';
import type { World } from '../world/world.js';
import type { EventBridge } from './eventbridge.js';

const DAY = 86_400_000;

/**
 * Objects by bucket; a new one is told to the default bus where the bucket says so, and is gone when its days are over.
 * Amazon S3, "PutObject", "GetObject", "Using EventBridge", "Expiring objects" (at the first midnight, UTC, after its days).
 */
export class Buckets {
  private readonly objects = new Map<string, { readonly body: string; readonly until: number }>();
  /** Set once both are there. */
  events: EventBridge | undefined;

  constructor(
    private readonly world: World,
    private readonly buckets: ReadonlyMap<string, Resource>,
  ) {}

  /** @param bucket its name */
  arnOf(bucket: string): string | undefined {
    return this.buckets.get(bucket)?.arn;
  }

  put(bucket: string, key: string, body: string): void {
    const { world } = this;
    const resource = this.buckets.get(bucket);
    if (!resource) throw new Error(`there is no bucket ${bucket}`);
    const days = expirationOf(resource);
    this.objects.set(`${bucket}/${key}`, { body, until: Math.ceil((world.now + days * DAY) / DAY) * DAY });
    world.note(`${resource.label} object ${key}`);
    const { EventBridgeConfiguration } = (resource.properties.NotificationConfiguration ?? {}) as {
      EventBridgeConfiguration?: { EventBridgeEnabled?: boolean };
    };
    if (EventBridgeConfiguration?.EventBridgeEnabled === false || !EventBridgeConfiguration) return;
    const detail = {
      version: '0',
      bucket: { name: bucket },
      object: { key, size: Buffer.byteLength(body), etag: 'simulated', sequencer: 'simulated' },
      'request-id': world.random.id(16),
      requester: 'lambda.amazonaws.com',
      reason: 'PutObject',
    };
    world.after(world.random.between(20, 500), () =>
      this.events?.put('default', { source: 'aws.s3', detailType: 'Object Created', detail }),
    );
  }

  get(bucket: string, key: string): string | undefined {
    return this.all().get(`${bucket}/${key}`);
  }

  /** What hasn't expired, by `<bucket>/<key>`. */
  all(): ReadonlyMap<string, string> {
    const left = [...this.objects].filter(([, { until }]) => this.world.now < until);
    return new Map(left.map(([path, { body }]) => [path, body]));
  }
}

/** Days until a new object expires. */
function expirationOf({ properties }: Resource): number {
  const { Rules = [] } = (properties.LifecycleConfiguration ?? {}) as {
    Rules?: readonly { Status: string; ExpirationInDays?: number }[];
  };
  const days = Rules.flatMap(({ Status, ExpirationInDays }) =>
    Status === 'Enabled' && ExpirationInDays !== undefined ? [ExpirationInDays] : [],
  );
  return Math.min(...days);
}
