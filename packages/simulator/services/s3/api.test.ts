import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { awsApiOf } from '../../support/clients.js';
import { allowStatement, createCloud, functionResource, resultsOf } from '../../support/clouds.js';

const Bucket = 'shop-batches';

function shop(properties: object = {}) {
  const cloud = createCloud({
    Batches: { Type: 'AWS::S3::Bucket', Properties: { BucketName: Bucket, ...properties } },
    Dead: { Type: 'AWS::SQS::Queue' },
  });
  const { config, answer, unknown } = awsApiOf(cloud);
  return { cloud, answer, unknown, s3: new S3Client(config) };
}

test('an object is put, read, described and deleted', async () => {
  const { s3, cloud } = shop();
  const Key = 'a/é & b';
  const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'tée', ContentType: 'text/plain' }));
  expect(cloud.buckets.get(Bucket, Key)).toBe('tée');
  const object = { Bucket, Key };
  const { Body, ContentType, ...read } = await s3.send(new GetObjectCommand(object));
  expect([await Body?.transformToString(), ContentType, read.ETag]).toEqual(['tée', 'text/plain', ETag]);
  const { LastModified, ContentLength } = await s3.send(new HeadObjectCommand(object));
  expect([LastModified?.getTime(), ContentLength]).toEqual([cloud.world.now, 4]);
  await s3.send(new DeleteObjectCommand(object));
  await s3.send(new DeleteObjectCommand(object));
  await expect(s3.send(new GetObjectCommand(object))).rejects.toThrow(NoSuchKey);
  await expect(s3.send(new HeadObjectCommand(object))).rejects.toThrow(NotFound);
});

test('a deleted object of a bucket with versions is still read by its version', async () => {
  const { s3 } = shop({ VersioningConfiguration: { Status: 'Enabled' } });
  const object = { Bucket, Key: 'a' };
  const { VersionId } = await s3.send(new PutObjectCommand({ ...object, Body: 'first' }));
  await s3.send(new DeleteObjectCommand(object));
  await expect(s3.send(new GetObjectCommand(object))).rejects.toThrow(NoSuchKey);
  const { Body } = await s3.send(new GetObjectCommand({ ...object, VersionId }));
  expect(await Body?.transformToString()).toBe('first');
});

test('puts and deletions of objects send events, if the bucket says so', async () => {
  const { s3, cloud } = shop({ NotificationConfiguration: { EventBridgeConfiguration: {} } });
  await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'b' }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));
  const types = cloud.events.accepted.map(({ event }) => event['detail-type']);
  expect(types).toEqual(['Object Created', 'Object Deleted']);
});

test('objects are listed page by page, by prefix and by folder', async () => {
  const { s3, cloud } = shop();
  for (const key of ['b', 'a/2', 'a/1', 'a/c/3', 'é&<']) cloud.buckets.put(Bucket, key, key);
  const keys: (string | undefined)[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3, pageSize: 2 }, { Bucket }))
    keys.push(...Contents.map(({ Key }) => Key));
  expect(keys).toEqual(['a/1', 'a/2', 'a/c/3', 'b', 'é&<']);
  const folder = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'a/', Delimiter: '/' }));
  expect(folder.Contents?.map(({ Key }) => Key)).toEqual(['a/1', 'a/2']);
  expect(folder.CommonPrefixes).toEqual([{ Prefix: 'a/c/' }]);
  const rest = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: '/', StartAfter: 'a/' }));
  expect([rest.KeyCount, rest.CommonPrefixes]).toEqual([2, undefined]);
});

test('buckets are listed and found, with the bucket in the path or in the host', async () => {
  const { s3, answer, cloud } = shop();
  expect((await s3.send(new ListBucketsCommand({}))).Buckets).toMatchObject([{ Name: Bucket }]);
  expect((await s3.send(new HeadBucketCommand({ Bucket }))).$metadata.httpStatusCode).toBe(200);
  await expect(s3.send(new HeadBucketCommand({ Bucket: 'none' }))).rejects.toThrow(NotFound);
  const put = s3.send(new PutObjectCommand({ Bucket: 'none', Key: 'a', Body: 'b' }));
  await expect(put).rejects.toMatchObject({ name: 'NoSuchBucket' });
  cloud.buckets.put(Bucket, 'a', 'b');
  const hosts = [`${Bucket}.s3.eu-west-1.amazonaws.com`, `${Bucket}.s3.localhost:4566`];
  for (const host of hosts) {
    expect((await answer({ method: 'GET', host, path: '/a', headers: {}, body: '' })).body).toBe('b');
  }
});

test('a body that is sent in chunks loses their frame', async () => {
  const { answer, cloud } = shop();
  const headers = { 'content-encoding': 'aws-chunked', 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' };
  const body = '3\r\né1\r\n2;chunk-signature=0\r\n23\r\n0\r\nx-amz-checksum-crc32:L/2JWQ==\r\n\r\n';
  await answer({ method: 'PUT', host: `${Bucket}.s3.amazonaws.com`, path: '/a', headers, body });
  expect(cloud.buckets.get(Bucket, 'a')).toBe('é123');
});

test('bytes come back as they were put, with their length', async () => {
  const { s3, cloud } = shop();
  const Body = new Uint8Array([0, 255, 254, 128]);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body }));
  const read = await s3.send(new GetObjectCommand({ Bucket, Key: 'a' }));
  expect(await read.Body?.transformToByteArray()).toEqual(Body);
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'a' }))).ContentLength).toBe(4);
  // Also in a state that is kept as JSON.
  const saved = JSON.parse(JSON.stringify(cloud.buckets.save()));
  const other = createCloud({ Batches: { Type: 'AWS::S3::Bucket', Properties: { BucketName: Bucket } } });
  other.buckets.resume(saved);
  expect([...(other.buckets.find(Bucket, 'a')?.bytes ?? [])]).toEqual([...Body]);
});

test('a checksum behind a body in chunks counts too', async () => {
  const { answer } = shop();
  const headers = { 'content-encoding': 'aws-chunked', 'x-amz-trailer': 'x-amz-checksum-crc32' };
  const put = { method: 'PUT', host: `${Bucket}.s3.amazonaws.com`, path: '/a', headers };
  const { status, body } = await answer({ ...put, body: '3\r\n123\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n' });
  expect([status, body]).toEqual([400, expect.stringContaining('BadDigest')]);
});

test('a request that is not served is an error in words', async () => {
  const { s3, cloud, unknown } = shop();
  const object = { Bucket, Key: 'a' };
  cloud.buckets.put(Bucket, 'a', 'b');
  const modelled = "The simulator doesn't model this: ";
  const part = s3.send(new GetObjectCommand({ ...object, Range: 'bytes=0-1' }));
  await expect(part).rejects.toThrow(`${modelled}a part of an object`);
  const changed = s3.send(new GetObjectCommand({ ...object, IfNoneMatch: 'etag' }));
  await expect(changed).rejects.toThrow(`${modelled}if-none-match of a read`);
  const described = s3.send(new PutObjectCommand({ ...object, Body: 'b', Metadata: { by: 'me' } }));
  await expect(described).rejects.toThrow('metadata');
  const deleted = s3.send(new DeleteObjectCommand({ ...object, IfMatch: 'etag' }));
  await expect(deleted).rejects.toThrow(`${modelled}if-match of a deletion`);
  expect(unknown).toHaveLength(4);
});

/** "Required permissions for Amazon S3 API operations": HeadObject asks for s3:GetObject, ListObjectsV2 for s3:ListBucket. */
test.each([
  [['s3:GetObject', 's3:ListBucket'], '200 200 404'],
  // "GetObject", "Permissions": who may not list the bucket doesn't learn that an object isn't there.
  [['s3:GetObject'], '200 403 403'],
  [['s3:ListBucket'], '403 200 403'],
])(
  'a function with %s describes an object, lists its bucket and reads what is not there: %s',
  async (rights, statuses) => {
    const code = `exports.handler = async () => {
    const host = 'https://${Bucket}.s3.eu-west-1.amazonaws.com';
    const described = await fetch(host + '/a', { method: 'HEAD' });
    const listed = await fetch(host + '/?list-type=2');
    const read = await fetch(host + '/b');
    return described.status + ' ' + listed.status + ' ' + read.status;
  };`;
    const cloud = createCloud(
      {
        Batches: { Type: 'AWS::S3::Bucket', Properties: { BucketName: Bucket } },
        ...functionResource('Work', [allowStatement(rights, '*')]),
      },
      { Work: code },
    );
    cloud.buckets.put(Bucket, 'a', 'b');
    expect(await resultsOf(cloud)).toEqual([{ kind: 'returned', value: statuses }]);
  },
);
