import type { Resource } from '../assembly/assembly.js';
import { checkedSums } from '../aws/checksums.js';
import { etagOf, noSuchBucket, objectIn } from '../aws/objects.js';
import { Refused } from '../aws/refused.js';
import type { Cloud } from '../cloud.js';
import { NotModelled } from '../dynamodb/errors.js';
import { bodyOf, bytesOf } from '../runtime/http.js';
import type { Input } from '../wire/request.js';
import { type Operations, Raw } from './operation.js';

const PAGE = 1000;

/** Buckets and their objects. Amazon S3 API Reference, "Actions". */
export function objects({ buckets, world, home }: Cloud): Operations {
  const begun = new Date(world.now).toISOString();
  const bucketOf = ({ Bucket }: Input): Resource => {
    const found = buckets.named(String(Bucket));
    if (!found) throw noSuchBucket();
    return found;
  };
  return {
    ListBuckets: () => ({
      ListAllMyBucketsResult: {
        Owner: { ID: home.account, DisplayName: home.account },
        Buckets: { Bucket: buckets.names().map((Name) => ({ Name, CreationDate: begun })) },
      },
    }),
    HeadBucket: (input) => {
      bucketOf(input);
      return empty(200, { 'x-amz-bucket-region': home.region });
    },
    ListObjectsV2: (input) => ({ ListBucketResult: listed(buckets.list(bucketOf(input).ref), input) }),
    GetObject: (input) => {
      if (input.Range !== undefined) throw new NotModelled('a part of an object');
      return new Raw(objectIn(buckets, input));
    },
    HeadObject: (input) => {
      const { status, headers } = objectIn(buckets, input);
      return new Raw({ status, headers, body: '' });
    },
    PutObject: (input) => {
      const { ref } = bucketOf(input);
      const key = String(input.Key);
      const bytes = input.Body as Uint8Array;
      if (input.HasMetadata === true) throw new NotModelled('metadata of an object');
      if (input.IfNoneMatch !== undefined && buckets.find(ref, key))
        throw new Refused('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412);
      const sums = checkedSums(input.Headers as Readonly<Record<string, string>>, bytes);
      buckets.put(ref, key, bodyOf(bytes), String(input.ContentType ?? 'application/octet-stream'));
      const version = buckets.find(ref, key);
      return empty(200, {
        ...sums,
        ...(version && { etag: etagOf(version) }),
        ...(version && version.id !== 'null' && { 'x-amz-version-id': version.id }),
      });
    },
    DeleteObject: (input) => {
      if (input.VersionId !== undefined) throw new NotModelled('the deletion of a version');
      buckets.delete(bucketOf(input).ref, String(input.Key));
      return empty(204);
    },
  };
}

const empty = (status: number, headers: Readonly<Record<string, string>> = {}): Raw =>
  new Raw({ status, headers: { 'x-amz-request-id': 'simulated', ...headers }, body: '' });

/** "ListObjectsV2": a page of keys, and of the beginnings that keys with the delimiter share. */
function listed(all: ReturnType<Cloud['buckets']['list']>, input: Input): object {
  const { Prefix = '', Delimiter, MaxKeys = PAGE, ContinuationToken, StartAfter, EncodingType } = input;
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
    StartAfter,
    ...(isTruncated && { NextContinuationToken: page.at(-1)?.[0] }),
    Contents: page.flatMap(([key, entry]) => {
      if (!entry) return [];
      const [, version] = entry;
      return [
        {
          Key: written(key),
          LastModified: new Date(version.at).toISOString(),
          ETag: etagOf(version),
          Size: bytesOf(version).length,
          StorageClass: 'STANDARD',
        },
      ];
    }),
    CommonPrefixes: page.flatMap(([name, entry]) => (entry ? [] : [{ Prefix: written(name) }])),
  };
}
