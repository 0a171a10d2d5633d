import type { Resource } from '../assembly/assembly.js';
import type { World } from '../world/world.js';
import type { EventBridge } from './eventbridge.js';

/**
 * Objects by bucket; a new one is told to the default bus where the bucket says so. Amazon S3, "PutObject", "GetObject",
 * "Using EventBridge".
 */
export class Buckets {
  private readonly objects = new Map<string, string>();
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
    this.objects.set(`${bucket}/${key}`, body);
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
    return this.objects.get(`${bucket}/${key}`);
  }

  all(): ReadonlyMap<string, string> {
    return this.objects;
  }
}
