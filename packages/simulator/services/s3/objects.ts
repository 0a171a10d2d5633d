import { bodyBytes, type HttpResponse } from '../../runtime/http.js';
import { NotModelled, Refused } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import { type Buckets, computeEtag, isVersionId, type Version } from './model.js';

/**
 * Answers an object's headers and body. Amazon S3 API Reference, "GetObject".
 * @throws {Refused} if there is none
 * @throws {NotModelled} if only a part of it is asked for, or only under a condition
 */
export function readObject(buckets: Buckets, { Bucket, Key, VersionId, Range, Conditions = {} }: Input): HttpResponse {
  const bucket = String(Bucket);
  const key = String(Key);
  if (!buckets.findBucket(bucket)) throw noSuchBucket(bucket);
  const id = VersionId === undefined ? undefined : String(VersionId);
  if (id !== undefined && !isVersionId(id)) throw new Refused('InvalidArgument', 'Invalid version id specified');
  const version = buckets.find(bucket, key, id);
  if (!version && id !== undefined)
    throw new Refused('NoSuchVersion', 'The specified version does not exist.', 404, { Key: key, VersionId: id });
  if (!version) throw noSuchKey(key);
  if (version.isMarker)
    throw new Refused('MethodNotAllowed', 'The specified method is not allowed against this resource.', 405, {
      Method: 'GET',
      ResourceType: 'DeleteMarker',
    });
  if (Range !== undefined) throw new NotModelled('a part of an object');
  const [condition] = Object.keys(Conditions as object);
  if (condition !== undefined) throw new NotModelled(`${condition} of a read`);
  const { body, bytes, contentType, at } = version;
  const headers = {
    'content-type': contentType,
    'accept-ranges': 'bytes',
    'content-length': String(bodyBytes(version).length),
    'last-modified': new Date(at).toUTCString(),
    etag: quotedEtag(version),
    'x-amz-request-id': 'simulated',
    ...(version.id !== 'null' && { 'x-amz-version-id': version.id }),
  };
  return { status: 200, headers, body, ...(bytes && { bytes }) };
}

export const noSuchBucket = (BucketName: string): Refused =>
  new Refused('NoSuchBucket', 'The specified bucket does not exist', 404, { BucketName });

export const noSuchKey = (Key: string): Refused =>
  new Refused('NoSuchKey', 'The specified key does not exist.', 404, { Key });

/** Returns the tag of an object's content as headers and lists write it. */
export const quotedEtag = (version: Version): string => `"${computeEtag(version)}"`;
