import type { Resource } from '../assembly/assembly.js';
import type { World } from '../world/world.js';
import type { EventBridge } from './eventbridge.js';

const DAY = 86_400_000;

interface Version {
  /** `null` if its bucket keeps no versions. */
  readonly id: string;
  readonly body: string;
  /**
   * Time at which it stops being the key's current version, milliseconds since 1970: it was replaced or has expired.
   */
  replacedAt: number;
  /** Days after that for which it can be read by its version. */
  readonly daysReplaced: number;
}

/** Buckets at one time. */
export interface SavedBuckets {
  readonly puts: number;
  /** Versions by `<bucket>/<key>`, oldest first. */
  readonly objects: readonly (readonly [string, Version[]])[];
}

interface Rule {
  readonly Status: string;
  readonly ExpirationInDays?: number;
  readonly NoncurrentVersionExpiration?: { readonly NoncurrentDays?: number };
}

/**
 * Objects by bucket, and their versions if the bucket keeps any. A new object sends an event to the default bus if the
 * bucket is configured so, and it disappears when its days are over. Amazon S3, "PutObject", "GetObject", "How S3
 * Versioning works", "Using EventBridge", "Expiring objects" (at the first midnight, UTC, after its days).
 */
export class Buckets {
  /** Versions by `<bucket>/<key>`, oldest first. */
  private readonly objects = new Map<string, Version[]>();
  private puts = 0;
  /** Set after both were created. */
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
    const path = `${bucket}/${key}`;
    const keepsVersions = isVersioned(resource);
    const version = {
      id: keepsVersions ? `version-${++this.puts}` : 'null',
      body,
      replacedAt: midnightAfter(
        world.now,
        daysIn(resource, ({ ExpirationInDays }) => ExpirationInDays),
      ),
      daysReplaced: keepsVersions
        ? daysIn(resource, ({ NoncurrentVersionExpiration }) => NoncurrentVersionExpiration?.NoncurrentDays)
        : 0,
    };
    const earlier = keepsVersions ? (this.objects.get(path) ?? []) : [];
    for (const one of earlier) one.replacedAt = Math.min(one.replacedAt, world.now);
    this.objects.set(path, [...earlier, version]);
    world.note(`${resource.label} object ${key}`);
    const { EventBridgeConfiguration } = (resource.properties.NotificationConfiguration ?? {}) as {
      EventBridgeConfiguration?: { EventBridgeEnabled?: boolean };
    };
    if (EventBridgeConfiguration?.EventBridgeEnabled === false || !EventBridgeConfiguration) return;
    const object = { key, size: Buffer.byteLength(body), etag: 'simulated', sequencer: 'simulated' };
    const detail = {
      version: '0',
      bucket: { name: bucket },
      object: { ...object, ...(keepsVersions && { 'version-id': version.id }) },
      'request-id': world.random.id(16),
      requester: 'lambda.amazonaws.com',
      reason: 'PutObject',
    };
    const delay = world.latency((random) => random.between(20, 500));
    world.after(delay, () => this.events?.put('default', { source: 'aws.s3', detailType: 'Object Created', detail }));
  }

  /** Objects with all their versions, for another time of these buckets. */
  save(): SavedBuckets {
    return { puts: this.puts, objects: [...this.objects] };
  }

  /** Takes objects over from another time of these buckets. */
  resume({ puts, objects }: SavedBuckets): void {
    this.puts = Math.max(this.puts, puts);
    // A day that has no end is null in JSON.
    const endless = (days: number | null): number => days ?? Number.POSITIVE_INFINITY;
    for (const [path, versions] of objects) {
      this.objects.set(
        path,
        versions.map((version) => ({
          ...version,
          replacedAt: endless(version.replacedAt),
          daysReplaced: endless(version.daysReplaced),
        })),
      );
    }
  }

  /** @param version its id. @default the current version */
  get(bucket: string, key: string, version?: string): string | undefined {
    const path = `${bucket}/${key}`;
    if (version === undefined) return this.all().get(path);
    const { now } = this.world;
    return this.objects
      .get(path)
      ?.find(
        ({ id, replacedAt, daysReplaced }) =>
          id === version && (now < replacedAt || now < midnightAfter(replacedAt, daysReplaced)),
      )?.body;
  }

  /** Returns the current objects by `<bucket>/<key>`. */
  all(): ReadonlyMap<string, string> {
    const left = [...this.objects].flatMap(([path, versions]) => {
      const current = versions.at(-1);
      return current && this.world.now < current.replacedAt ? [[path, current.body] as const] : [];
    });
    return new Map(left);
  }
}

const midnightAfter = (time: number, days: number): number => Math.ceil((time + days * DAY) / DAY) * DAY;

function isVersioned({ properties }: Resource): boolean {
  const { Status } = (properties.VersioningConfiguration ?? {}) as { Status?: string };
  return Status === 'Enabled';
}

/** Returns the smallest number of days in a bucket's rules. */
function daysIn({ properties }: Resource, of: (rule: Rule) => number | undefined): number {
  const { Rules = [] } = (properties.LifecycleConfiguration ?? {}) as { Rules?: readonly Rule[] };
  const days = Rules.flatMap((rule) => (rule.Status === 'Enabled' ? (of(rule) ?? []) : []));
  return Math.min(...days);
}
