import type { Resource } from '../../assembly/assembly.js';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { bodyBytes, toBody } from '../../runtime/http.js';
import { NotModelled, type Operations, paginate, RawResponse, Refused } from '../../wire/operation.js';
import type { Presigned } from '../../wire/presigned.js';
import type { Input } from '../../wire/request.js';
import { verifyChecksums } from './checksums.js';
import { type Buckets, computeEtag, type Version } from './model.js';
import { noSuchBucket, noSuchKey, quotedEtag, readObject } from './objects.js';

const PAGE = 1000;
const MOST_BUCKETS = 10_000;

/** Parts of an account that its buckets need. */
interface Account {
  readonly world: EventLoop;
  readonly home: AccountAndRegion;
  readonly buckets: Buckets;
}

/** Buckets and their objects. Amazon S3 API Reference, "Actions". */
export function s3Api(account: Account): Operations {
  const { world } = account;
  const inTime = Object.entries(operationsOf(account)).map(([name, operation]) => [
    name,
    (...[input, call]: Parameters<typeof operation>) => {
      const { expires } = (input.Presigned ?? {}) as Partial<Presigned>;
      if (expires !== undefined && !(world.now <= expires))
        throw new Refused('AccessDenied', 'Request has expired', 403);
      return operation(input, call);
    },
  ]);
  return Object.fromEntries(inTime) as Operations;
}

function operationsOf({ buckets, world, home }: Account): Operations {
  const begun = new Date(world.begins).toISOString();
  const findBucket = ({ Bucket }: Input): Resource => {
    const found = buckets.findBucket(String(Bucket));
    if (!found) throw noSuchBucket(String(Bucket));
    return found;
  };
  return {
    ListBuckets: ({ Prefix, MaxBuckets = MOST_BUCKETS, ContinuationToken, BucketRegion }) => {
      if (BucketRegion !== undefined) throw new NotModelled('a list of the buckets of one region');
      const names = buckets.listNames().filter((name) => name.startsWith(String(Prefix ?? '')));
      const { page, next } = paginate(names, ContinuationToken, Number(MaxBuckets));
      const described = (Name: string) => ({
        Name,
        CreationDate: begun,
        BucketRegion: home.region,
        BucketArn: buckets.findArn(Name),
      });
      return {
        ListAllMyBucketsResult: {
          Owner: { ID: home.account },
          Buckets: { Bucket: page.map(described) },
          ...(Prefix !== undefined && { Prefix: String(Prefix) }),
          ...(next !== undefined && { ContinuationToken: next }),
        },
      };
    },
    HeadBucket: (input) => {
      findBucket(input);
      return empty(200, { 'x-amz-bucket-region': home.region });
    },
    ListObjectsV2: (input) => ({ ListBucketResult: listed(buckets.list(findBucket(input).ref), input) }),
    GetObject: (input) => new RawResponse(readObject(buckets, input)),
    HeadObject: (input) => {
      const { status, headers } = readObject(buckets, input);
      return new RawResponse({ status, headers, body: '' });
    },
    PutObject: (input) => {
      const { ref } = findBucket(input);
      const key = String(input.Key);
      const bytes = input.Body as Uint8Array;
      if (input.HasMetadata === true) throw new NotModelled('metadata of an object');
      checkConditions(input.Conditions as Readonly<Record<string, string>>, key, buckets.find(ref, key));
      const sums = verifyChecksums(input.Headers as Readonly<Record<string, string>>, bytes);
      buckets.put(ref, key, toBody(bytes), String(input.ContentType ?? 'binary/octet-stream'));
      const version = buckets.find(ref, key);
      return empty(200, {
        ...sums,
        ...(version && { etag: quotedEtag(version) }),
        ...(version && version.id !== 'null' && { 'x-amz-version-id': version.id }),
      });
    },
    DeleteObject: (input) => {
      if (input.VersionId !== undefined) throw new NotModelled('the deletion of a version');
      const [condition] = Object.keys(input.Conditions as object);
      if (condition !== undefined) throw new NotModelled(`${condition} of a deletion`);
      const marker = buckets.delete(findBucket(input).ref, String(input.Key));
      return empty(204, marker === undefined ? {} : { 'x-amz-delete-marker': 'true', 'x-amz-version-id': marker });
    },
  };
}

const empty = (status: number, headers: Readonly<Record<string, string>> = {}): RawResponse =>
  new RawResponse({ status, headers: { 'x-amz-request-id': 'simulated', ...headers }, body: '' });

/**
 * Checks the conditions of a write. Amazon S3 User Guide, "How to prevent object overwrites with conditional writes".
 * @param current the object that is there
 * @throws {Refused}
 */
function checkConditions(
  { 'if-match': match, 'if-none-match': noneMatch, ...others }: Readonly<Record<string, string>>,
  key: string,
  current: Version | undefined,
): void {
  const [other] = Object.keys(others);
  if (other !== undefined) throw new NotModelled(`${other} of a write`);
  if (match === '*' || (noneMatch !== undefined && (noneMatch !== '*' || match !== undefined)))
    throw new Refused('NotImplemented', 'A header you provided implies functionality that is not implemented', 501);
  if (match !== undefined && !current) throw noSuchKey(key);
  if (match !== undefined && current && match.replaceAll('"', '') !== computeEtag(current)) throw unmet('If-Match');
  if (noneMatch !== undefined && current) throw unmet('If-None-Match');
}

const unmet = (Condition: string): Refused =>
  new Refused('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412, {
    Condition,
  });

/** "ListObjectsV2": a page of keys, and of the beginnings that keys with the delimiter share. */
function listed(all: ReturnType<Buckets['list']>, input: Input): object {
  const { Prefix = '', Delimiter, MaxKeys = PAGE, ContinuationToken, StartAfter, EncodingType } = input;
  if (EncodingType !== undefined && EncodingType !== 'url')
    throw new Refused('InvalidArgument', 'Invalid Encoding Method specified in Request');
  const prefix = String(Prefix);
  const after = String(ContinuationToken ?? StartAfter ?? '');
  const sharedBy = (key: string): string | undefined => {
    if (!Delimiter) return undefined;
    const end = key.indexOf(String(Delimiter), prefix.length);
    return end < 0 ? undefined : key.slice(0, end + String(Delimiter).length);
  };
  const entries = new Map<string, (typeof all)[number] | undefined>();
  for (const one of all) {
    const [key] = one;
    if (!key.startsWith(prefix)) continue;
    const shared = sharedBy(key);
    const name = shared ?? key;
    if (Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0)
      entries.set(name, shared === undefined ? one : undefined);
  }
  const page = [...entries].slice(0, Number(MaxKeys));
  const isTruncated = page.length < entries.size;
  const written = (name: string): string =>
    EncodingType === 'url' ? encodeURIComponent(name).replaceAll('%2F', '/') : name;
  return {
    Name: input.Bucket,
    Prefix: written(prefix),
    ...(Delimiter !== undefined && { Delimiter: written(String(Delimiter)) }),
    MaxKeys: Number(MaxKeys),
    KeyCount: page.length,
    IsTruncated: isTruncated,
    EncodingType,
    ContinuationToken,
    // A token comes before it.
    ...(ContinuationToken === undefined && StartAfter !== undefined && { StartAfter: written(String(StartAfter)) }),
    ...(isTruncated && { NextContinuationToken: page.at(-1)?.[0] }),
    Contents: page.flatMap(([key, entry]) => {
      if (!entry) return [];
      const [, version] = entry;
      return [
        {
          Key: written(key),
          LastModified: new Date(version.at).toISOString(),
          ETag: quotedEtag(version),
          Size: bodyBytes(version).length,
          StorageClass: 'STANDARD',
        },
      ];
    }),
    CommonPrefixes: page.flatMap(([name, entry]) => (entry ? [] : [{ Prefix: written(name) }])),
  };
}
