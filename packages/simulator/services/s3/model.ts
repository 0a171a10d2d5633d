import { createHash } from 'node:crypto';
import type { Resource } from '../../assembly/assembly.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type Body, bodyBytes } from '../../runtime/http.js';
import type { EventBridge } from '../events/model.js';
import type { BucketNotifications } from './notifications.js';

const DAY = 86_400_000;

/** A version of an object. */
export interface Version extends Body {
  /** `null` if its bucket keeps no versions. */
  readonly id: string;
  readonly contentType: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /**
   * Time at which it stops being the key's current version, milliseconds since 1970: it was replaced or has expired.
   */
  replacedAt: number;
  /** Days after that for which it can be read by its version. */
  readonly daysReplaced: number;
  /** A delete marker: its key has no current object. */
  readonly isMarker?: true;
}

/** Returns whether a bucket can have given a version this id. */
export const isVersionId = (id: string): boolean => /^(null|version-\d+)$/.test(id);

/** Returns the tag of an object's content, without quotes. */
export const computeEtag = (content: Body): string => createHash('md5').update(bodyBytes(content)).digest('hex');

/** A version as JSON: bytes that are no text are base64. */
interface SavedVersion extends Omit<Version, 'bytes'> {
  readonly base64?: string;
}

/** Buckets at one time. */
export interface SavedBuckets {
  readonly puts: number;
  /** Versions by `<bucket>/<key>`, oldest first. */
  readonly objects: readonly (readonly [string, readonly SavedVersion[]])[];
}

interface Rule {
  readonly Status: string;
  readonly ExpirationInDays?: number;
  readonly NoncurrentVersionExpiration?: { readonly NoncurrentDays?: number };
}

/**
 * Objects by bucket, and their versions if the bucket keeps any. A new object sends an event to the default bus if the
 * bucket is configured so, and the destinations of its notifications get a message. It disappears when its days are over. Amazon S3, "PutObject", "GetObject", "How S3
 * Versioning works", "Using EventBridge", "Expiring objects" (at the first midnight, UTC, after its days).
 */
export class Buckets {
  /** Versions by `<bucket>/<key>`, oldest first. */
  private readonly objects = new Map<string, Version[]>();
  private puts = 0;
  /** Set after both were created. */
  events: EventBridge | undefined;
  /** Set as the bus. */
  notifications: BucketNotifications | undefined;

  constructor(
    private readonly world: EventLoop,
    private readonly buckets: ReadonlyMap<string, Resource>,
    /** Account that every request to them comes from. */
    private readonly account: string,
    /** Names of buckets whose custom resource sends events to the default bus. */
    private readonly onBus: ReadonlySet<string> = new Set(),
  ) {}

  /** @param bucket its name */
  findArn(bucket: string): string | undefined {
    return this.buckets.get(bucket)?.arn;
  }

  /** Returns a bucket by its name. */
  findBucket(bucket: string): Resource | undefined {
    return this.buckets.get(bucket);
  }

  listNames(): readonly string[] {
    return [...this.buckets.keys()];
  }

  /** @param content a text, or any bytes */
  put(bucket: string, key: string, content: string | Body, contentType = 'application/json'): void {
    const { world } = this;
    const resource = this.buckets.get(bucket);
    if (!resource) throw new Error(`there is no bucket ${bucket}`);
    const path = `${bucket}/${key}`;
    const keepsVersions = isVersioned(resource);
    const body = typeof content === 'string' ? { body: content } : content;
    const version = {
      ...body,
      id: keepsVersions ? `version-${++this.puts}` : 'null',
      contentType,
      at: world.now,
      replacedAt: midnightAfter(
        world.now,
        daysIn(resource, ({ ExpirationInDays }) => ExpirationInDays),
      ),
      daysReplaced: keepsVersions
        ? daysIn(resource, ({ NoncurrentVersionExpiration }) => NoncurrentVersionExpiration?.NoncurrentDays)
        : 0,
    };
    this.keep(path, version);
    world.note(`${resource.label} object ${key}`);
    const object = { size: bodyBytes(body).length, etag: computeEtag(body) };
    this.notify(resource, key, version, 'ObjectCreated:Put', { size: object.size, eTag: object.etag });
    this.announce(resource, key, version, 'Object Created', { object, reason: 'PutObject' });
  }

  /** Adds a version; if its bucket keeps none, it takes the place of the earlier one. */
  private keep(path: string, version: Version): void {
    const earlier = version.id === 'null' ? [] : (this.objects.get(path) ?? []);
    for (const one of earlier) one.replacedAt = Math.min(one.replacedAt, this.world.now);
    this.objects.set(path, [...earlier, version]);
  }

  /**
   * Deletes an object. A bucket with versions keeps it as a version behind a delete marker, which it makes even where there is no
   * object. Amazon S3 User Guide, "Working with delete markers".
   * @returns the marker's id, if the bucket keeps versions
   */
  delete(bucket: string, key: string): string | undefined {
    const path = `${bucket}/${key}`;
    const resource = this.buckets.get(bucket);
    if (!resource) return undefined;
    const more = { object: {}, reason: 'DeleteObject' };
    if (!isVersioned(resource)) {
      const current = this.find(bucket, key);
      if (!current) return undefined;
      this.objects.delete(path);
      this.world.note(`${resource.label} object ${key} deleted`);
      this.notify(resource, key, current, 'ObjectRemoved:Delete');
      this.announce(resource, key, current, 'Object Deleted', { ...more, 'deletion-type': 'Permanently Deleted' });
      return undefined;
    }
    const marker: Version = {
      body: '',
      id: `version-${++this.puts}`,
      contentType: '',
      at: this.world.now,
      replacedAt: Number.POSITIVE_INFINITY,
      daysReplaced: Number.POSITIVE_INFINITY,
      isMarker: true,
    };
    this.keep(path, marker);
    this.world.note(`${resource.label} object ${key} deleted`);
    this.notify(resource, key, marker, 'ObjectRemoved:DeleteMarkerCreated');
    this.announce(resource, key, marker, 'Object Deleted', { ...more, 'deletion-type': 'Delete Marker Created' });
    return marker.id;
  }

  private notify(bucket: Resource, key: string, { id }: Version, event: string, object = {}): void {
    this.notifications?.tell(bucket, { key, event, object: { ...object, ...(id !== 'null' && { versionId: id }) } });
  }

  private announce(
    { properties, ref, arn }: Resource,
    key: string,
    version: Version,
    detailType: string,
    { object, ...more }: { readonly object: object; readonly [member: string]: unknown },
  ): void {
    const { world } = this;
    const { EventBridgeConfiguration } = (properties.NotificationConfiguration ?? {}) as {
      EventBridgeConfiguration?: { EventBridgeEnabled?: boolean };
    };
    const isOnBus = EventBridgeConfiguration && EventBridgeConfiguration.EventBridgeEnabled !== false;
    if (!isOnBus && !this.onBus.has(ref)) return;
    const detail = {
      version: '0',
      bucket: { name: ref },
      object: { key, ...object, sequencer: 'simulated', ...(version.id !== 'null' && { 'version-id': version.id }) },
      'request-id': world.random.id(16),
      requester: this.account,
      // RFC 5737: an address of nobody.
      'source-ip-address': '192.0.2.1',
      ...more,
    };
    const delay = world.latency((random) => random.between(20, 500));
    world.after(delay, () => this.events?.put('default', { source: 'aws.s3', detailType, detail, resources: [arn] }));
  }

  /** Objects with all their versions, for another time of these buckets. */
  save(): SavedBuckets {
    const saved = ({ bytes, ...version }: Version): SavedVersion => ({
      ...version,
      ...(bytes && { base64: Buffer.from(bytes).toString('base64') }),
    });
    return { puts: this.puts, objects: [...this.objects].map(([path, versions]) => [path, versions.map(saved)]) };
  }

  /** Takes objects over from another time of these buckets. */
  resume({ puts, objects }: SavedBuckets): void {
    this.puts = Math.max(this.puts, puts);
    // A day that has no end is null in JSON.
    const endless = (days: number | null): number => days ?? Number.POSITIVE_INFINITY;
    for (const [path, versions] of objects) {
      this.objects.set(
        path,
        versions.map(({ base64, ...version }) => ({
          ...version,
          ...(base64 !== undefined && { bytes: Buffer.from(base64, 'base64') }),
          replacedAt: endless(version.replacedAt),
          daysReplaced: endless(version.daysReplaced),
        })),
      );
    }
  }

  /** @param version its id. @default the current version */
  find(bucket: string, key: string, version?: string): Version | undefined {
    const { now } = this.world;
    const versions = this.objects.get(`${bucket}/${key}`) ?? [];
    if (version === undefined) {
      const current = versions.at(-1);
      return current && !current.isMarker && now < current.replacedAt ? current : undefined;
    }
    return versions.find(
      ({ id, replacedAt, daysReplaced }) =>
        id === version && (now < replacedAt || now < midnightAfter(replacedAt, daysReplaced)),
    );
  }

  /** Returns an object's body. @param version its id. @default the current version */
  get(bucket: string, key: string, version?: string): string | undefined {
    return this.find(bucket, key, version)?.body;
  }

  /** Returns the current objects' bodies by `<bucket>/<key>`. */
  all(): ReadonlyMap<string, string> {
    return new Map(this.current().map(([path, { body }]) => [path, body]));
  }

  /** Returns a bucket's current objects by key, in the order of UTF-8. */
  list(bucket: string): readonly (readonly [key: string, version: Version])[] {
    return this.current()
      .flatMap(([path, version]) =>
        path.startsWith(`${bucket}/`) ? [[path.slice(bucket.length + 1), version] as const] : [],
      )
      .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  }

  private current(): readonly (readonly [path: string, version: Version])[] {
    return [...this.objects].flatMap(([path, versions]) => {
      const current = versions.at(-1);
      return current && !current.isMarker && this.world.now < current.replacedAt ? [[path, current] as const] : [];
    });
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
