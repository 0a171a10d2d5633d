import { createHash } from 'node:crypto';
import { bytesOf, type HttpResponse } from '../runtime/http.js';
import type { Input } from '../wire/request.js';
import { Refused } from './refused.js';
import type { Buckets, Version } from './s3.js';

/**
 * Answers an object's headers and body. Amazon S3 API Reference, "GetObject".
 * @throws {Refused} if there is none
 */
export function objectIn(buckets: Buckets, { Bucket, Key, VersionId }: Input): HttpResponse {
  const id = VersionId === undefined ? undefined : String(VersionId);
  const version = buckets.find(String(Bucket), String(Key), id);
  if (!version) {
    if (!buckets.named(String(Bucket))) throw noSuchBucket();
    const code = id === undefined ? 'NoSuchKey' : 'NoSuchVersion';
    throw new Refused(code, 'The specified key or version does not exist.', 404);
  }
  const { body, bytes, contentType, at } = version;
  const headers = {
    'content-type': contentType,
    'content-length': String(bytesOf(version).length),
    'last-modified': new Date(at).toUTCString(),
    etag: etagOf(version),
    'x-amz-request-id': 'simulated',
    ...(version.id !== 'null' && { 'x-amz-version-id': version.id }),
  };
  return { status: 200, headers, body, ...(bytes && { bytes }) };
}

export const noSuchBucket = (): Refused => new Refused('NoSuchBucket', 'The specified bucket does not exist', 404);

export const etagOf = (version: Version): string => `"${createHash('md5').update(bytesOf(version)).digest('hex')}"`;
