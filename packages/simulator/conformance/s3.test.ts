/**
 * S3 held against answers that were recorded at AWS: LocalStack (https://github.com/localstack/localstack, commit 8b9a79f,
 * Apache-2.0), `tests/aws/services/s3/`: `test_s3.snapshot.json`, `test_s3_api.snapshot.json`,
 * `test_s3_list_operations.snapshot.json` and `test_s3_notifications_eventbridge.snapshot.json`, recorded between January 2025
 * and February 2026. Each case has the name of the test that it comes from.
 */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { awsApiOf } from '../support/clients.js';
import { createCloud } from '../support/clouds.js';

const Bucket = 'shop-batches';
const OBJECT = { Bucket, Key: 'my-key' };

function bucket(properties: object = {}) {
  const cloud = createCloud({
    Batches: { Type: 'AWS::S3::Bucket', Properties: { BucketName: Bucket, ...properties } },
  });
  const { config, answer } = awsApiOf(cloud);
  const s3 = new S3Client(config);
  const raw = (method: string, body: string, headers: Readonly<Record<string, string>> = {}, path = '/my-key') =>
    answer({ method, host: `${Bucket}.s3.amazonaws.com`, path, headers, body });
  const put = (Body: string, more: object = {}) => s3.send(new PutObjectCommand({ ...OBJECT, Body, ...more }));
  return { cloud, s3, raw, put };
}

const versioned = () => bucket({ VersioningConfiguration: { Status: 'Enabled' } });
const refusal = (name: string, httpStatusCode: number, message: string, more: object = {}) => ({
  name,
  message,
  $metadata: { httpStatusCode },
  ...more,
});
const UNMET = 'At least one of the pre-conditions you specified did not hold';
const NOT_IMPLEMENTED = refusal(
  'NotImplemented',
  501,
  'A header you provided implies functionality that is not implemented',
);
const NO_KEY = refusal('NoSuchKey', 404, 'The specified key does not exist.', { Key: 'my-key' });

describe('checksums', () => {
  /** Of `test data..`, as AWS returned them. */
  const SUMS = {
    crc32: 'cZWHwQ==',
    crc32c: 'Pf4upw==',
    sha1: 'B++3uSfJMSHWToQMQ1g6lIJY5Eo=',
    sha256: '2l26x0trnT0r2AvakoFk2MB7eKVKzYESLMxSAKAzoik=',
    crc64nvme: 'qUVrWYOrIAM=',
  };

  test.each(Object.entries(SUMS))('test_put_object_checksum[%s]', async (name, sum) => {
    const { raw, cloud } = bucket();
    const header = `x-amz-checksum-${name}`;
    const refused = async (value: string) => (await raw('PUT', 'test data..', { [header]: value })).body;
    expect(await refused('2a9c4b1e')).toContain(
      `<Code>InvalidRequest</Code><Message>Value for ${header} header is invalid.</Message>`,
    );
    expect(await refused(Buffer.alloc(Buffer.from(sum, 'base64').length).toString('base64'))).toContain(
      `<Code>BadDigest</Code><Message>The ${name.toUpperCase()} you specified did not match the calculated checksum.</Message>`,
    );
    expect(cloud.buckets.get(Bucket, 'my-key')).toBeUndefined();
    const { status, headers } = await raw('PUT', 'test data..', { [header]: sum });
    expect([status, headers[header], headers['x-amz-checksum-type'], headers.etag]).toEqual([
      200,
      sum,
      'FULL_OBJECT',
      '"e6d9226c2a86b7232933663c13467527"',
    ]);
  });

  test('test_s3_checksum_no_algorithm: two checksums', async () => {
    const { crc32, sha256 } = SUMS;
    const headers = { 'x-amz-checksum-crc32': crc32, 'x-amz-checksum-sha256': sha256 };
    expect((await bucket().raw('PUT', 'test data..', headers)).body).toContain(
      '<Code>InvalidRequest</Code><Message>Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.</Message>',
    );
  });

  test.each(['__invalid__', '000', 'not base64 encoded checksum', 'MTIz', 'dGVzdC1zdHJpbmc='])(
    'test_s3_invalid_content_md5: %s',
    async (md5) => {
      const { status, body } = await bucket().raw('PUT', 'something', { 'content-md5': md5 });
      expect([status, body]).toEqual([
        400,
        expect.stringContaining(
          `<Code>InvalidDigest</Code><Message>The Content-MD5 you specified was invalid.</Message><Content-MD5>${md5}</Content-MD5>`,
        ),
      ]);
    },
  );

  test('test_s3_invalid_content_md5: another one', async () => {
    const { raw } = bucket();
    expect((await raw('PUT', 'something', { 'content-md5': 'CYketZBSTjX8czcs3cXVlg==' })).body).toContain(
      '<Code>BadDigest</Code><Message>The Content-MD5 you specified did not match what we received.</Message><ExpectedDigest>09891eb590524e35fc73372cddc5d596</ExpectedDigest><CalculatedDigest>Q3uTDbhLgHnC3YBKcZNrXw==</CalculatedDigest>',
    );
    const { status, headers } = await raw('PUT', 'something', { 'content-md5': 'Q3uTDbhLgHnC3YBKcZNrXw==' });
    expect([status, headers.etag]).toEqual([200, '"437b930db84b8079c2dd804a71936b5f"']);
  });
});

describe('objects', () => {
  test('test_head_object_fields: an object has a type and says that it has ranges', async () => {
    const { raw } = bucket();
    await raw('PUT', 'abcdefgh');
    const { status, headers } = await raw('HEAD', '');
    expect([status, headers]).toEqual([
      200,
      expect.objectContaining({
        'accept-ranges': 'bytes',
        'content-length': '8',
        'content-type': 'binary/octet-stream',
        etag: '"e8dc4081b13434b45189a720b77b6818"',
      }),
    ]);
    const none = await raw('HEAD', '', {}, '/none');
    expect([none.status, none.body]).toEqual([404, '']);
  });

  test('test_get_object_no_such_bucket', async () => {
    const { s3 } = bucket();
    await expect(s3.send(new GetObjectCommand({ Bucket: 'none', Key: 'a' }))).rejects.toMatchObject(
      refusal('NoSuchBucket', 404, 'The specified bucket does not exist', { BucketName: 'none' }),
    );
  });

  test('test_range_key_not_exists', async () => {
    await expect(bucket().s3.send(new GetObjectCommand({ ...OBJECT, Range: 'bytes=0-8' }))).rejects.toMatchObject(
      NO_KEY,
    );
  });

  test('test_get_object_with_version_unversioned_bucket', async () => {
    const { s3, put } = bucket();
    await put('test-version');
    const VersionId = 'HPniJFCxqTsMuIH9KX8K8wEjNUgmABCD';
    await expect(s3.send(new GetObjectCommand({ ...OBJECT, VersionId }))).rejects.toMatchObject(
      refusal('InvalidArgument', 400, 'Invalid version id specified'),
    );
    const { Body } = await s3.send(new GetObjectCommand({ ...OBJECT, VersionId: 'null' }));
    expect(await Body?.transformToString()).toBe('test-version');
  });

  test('test_delete_object_versioned', async () => {
    const { s3, put } = versioned();
    const { VersionId } = await put('test-delete');
    const first = await s3.send(new DeleteObjectCommand(OBJECT));
    expect([first.DeleteMarker, first.VersionId]).toEqual([true, expect.any(String)]);
    await expect(s3.send(new GetObjectCommand(OBJECT))).rejects.toMatchObject(NO_KEY);
    const { Body } = await s3.send(new GetObjectCommand({ ...OBJECT, VersionId }));
    expect(await Body?.transformToString()).toBe('test-delete');
    await expect(s3.send(new GetObjectCommand({ ...OBJECT, VersionId: first.VersionId }))).rejects.toMatchObject(
      refusal('MethodNotAllowed', 405, 'The specified method is not allowed against this resource.', {
        Method: 'GET',
        ResourceType: 'DeleteMarker',
      }),
    );
    const second = await s3.send(new DeleteObjectCommand(OBJECT));
    expect(second.DeleteMarker && second.VersionId !== first.VersionId).toBe(true);
    const never = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'never' }));
    expect([never.DeleteMarker, never.VersionId]).toEqual([true, expect.any(String)]);
  });
});

describe('conditions of writes', () => {
  test('test_put_object_if_none_match', async () => {
    const { s3, put } = bucket();
    await put('');
    await expect(put('', { IfNoneMatch: '*' })).rejects.toMatchObject(
      refusal('PreconditionFailed', 412, UNMET, { Condition: 'If-None-Match' }),
    );
    await s3.send(new DeleteObjectCommand(OBJECT));
    await put('', { IfNoneMatch: '*' });
  });

  test('test_put_object_if_none_match_validation', async () => {
    await expect(bucket().put('', { IfNoneMatch: 'etag' })).rejects.toMatchObject(NOT_IMPLEMENTED);
  });

  test('test_put_object_if_match', async () => {
    const { s3, put } = bucket();
    const { ETag } = await put('test');
    expect(ETag).toBe('"098f6bcd4621d373cade4e832627b4f6"');
    await expect(put('', { IfMatch: '"d41d8cd98f00b204e9800998ecf8427e"' })).rejects.toMatchObject(
      refusal('PreconditionFailed', 412, UNMET, { Condition: 'If-Match' }),
    );
    await put('', { IfMatch: ETag });
    await s3.send(new DeleteObjectCommand(OBJECT));
    await expect(put('', { IfMatch: ETag })).rejects.toMatchObject(NO_KEY);
  });

  test.each([
    ['test_put_object_if_match_validation', { IfMatch: '*' }],
    ['test_put_object_if_match_and_if_none_match_validation', { IfMatch: 'etag', IfNoneMatch: '*' }],
  ])('%s', async (_, conditions) => {
    await expect(bucket().put('', conditions)).rejects.toMatchObject(NOT_IMPLEMENTED);
  });
});

describe('lists', () => {
  const KEYS = ['test_0', 'test_1', 'test_10', 'test_11', ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `test_${n}`)];
  const list = async (s3: S3Client, more: object) => {
    const { Contents = [], $metadata: _, ...rest } = await s3.send(new ListObjectsV2Command({ Bucket, ...more }));
    return { keys: Contents.map(({ Key }) => Key), ...rest };
  };

  test('test_list_objects_v2_continuation_start_after', async () => {
    const { s3, cloud } = bucket();
    for (const key of KEYS) cloud.buckets.put(Bucket, key, 'test');
    const { NextContinuationToken: ContinuationToken, ...first } = await list(s3, { MaxKeys: 5 });
    const five = { keys: KEYS.slice(0, 5), IsTruncated: true, KeyCount: 5, MaxKeys: 5, Name: Bucket, Prefix: '' };
    expect([ContinuationToken, first]).toEqual([expect.any(String), five]);
    const rest = {
      keys: KEYS.slice(5),
      ContinuationToken,
      IsTruncated: false,
      KeyCount: 7,
      MaxKeys: 1000,
      Name: Bucket,
      Prefix: '',
    };
    expect(await list(s3, { ContinuationToken })).toEqual(rest);
    // A token comes before StartAfter, which the answer doesn't repeat.
    expect(await list(s3, { ContinuationToken, StartAfter: 'test_7' })).toEqual(rest);
    expect((await list(s3, { StartAfter: 'test_7', MaxKeys: 2 })).keys).toEqual(['test_8', 'test_9']);
  });

  test('test_list_objects_v2_continuation_common_prefixes', async () => {
    const { s3, cloud } = bucket();
    const names = ['folder/aSubfolder/subFile1', 'folder/aSubfolder/subFile2', 'folder/file1', 'folder/file2'];
    for (const key of names) cloud.buckets.put(Bucket, key, 'test');
    const asked = { Prefix: 'folder/', Delimiter: '/', MaxKeys: 1 };
    const first = await list(s3, asked);
    expect([first.CommonPrefixes, first.keys]).toEqual([[{ Prefix: 'folder/aSubfolder/' }], []]);
    const second = await list(s3, { ...asked, ContinuationToken: first.NextContinuationToken });
    expect([second.keys, second.IsTruncated]).toEqual([['folder/file1'], true]);
    const last = await list(s3, { ...asked, ContinuationToken: second.NextContinuationToken });
    expect([last.keys, last.IsTruncated]).toEqual([['folder/file2'], false]);
  });

  test('test_list_objects_v2_continuation_token_safe_chars: names in the code of URLs', async () => {
    const { s3, cloud } = bucket();
    for (const month of [1, 2, 3]) cloud.buckets.put(Bucket, `date=2026-0${month}-01/`, '');
    const { keys, StartAfter } = await list(s3, { StartAfter: 'date=2026-02-01/', EncodingType: 'url' });
    expect([keys, StartAfter]).toEqual([['date%3D2026-03-01/'], 'date%3D2026-02-01/']);
  });

  test('test_list_ops_encoding_type_validation[list_objects_v2]', async () => {
    const { body } = await bucket().raw('GET', '', {}, '/?list-type=2&encoding-type=value');
    expect(body).toContain(
      '<Code>InvalidArgument</Code><Message>Invalid Encoding Method specified in Request</Message>',
    );
  });

  test('test_list_buckets_with_max_buckets, test_list_buckets_with_continuation_token, test_list_buckets_by_prefix_with_case_sensitivity', async () => {
    const names = ['one', 'other', 'third'];
    const resources = names.map((BucketName) => [
      BucketName,
      { Type: 'AWS::S3::Bucket', Properties: { BucketName } } as const,
    ]);
    const s3 = new S3Client(awsApiOf(createCloud(Object.fromEntries(resources))).config);
    const first = await s3.send(new ListBucketsCommand({ MaxBuckets: 2 }));
    expect(first.Buckets).toEqual(
      ['one', 'other'].map((Name) => ({
        Name,
        BucketArn: `arn:aws:s3:::${Name}`,
        BucketRegion: 'eu-west-1',
        CreationDate: expect.any(Date),
      })),
    );
    expect(first.Owner).toEqual({ ID: expect.any(String) });
    const next = await s3.send(new ListBucketsCommand({ MaxBuckets: 2, ContinuationToken: first.ContinuationToken }));
    expect([next.Buckets?.map(({ Name }) => Name), next.ContinuationToken]).toEqual([['third'], undefined]);
    const { Buckets, Prefix } = await s3.send(new ListBucketsCommand({ Prefix: 'o' }));
    expect([Buckets?.map(({ Name }) => Name), Prefix]).toEqual([['one', 'other'], 'o']);
    expect((await s3.send(new ListBucketsCommand({ Prefix: 'O' }))).Buckets ?? []).toEqual([]);
  });
});

describe('notices', () => {
  const EventBridge = { NotificationConfiguration: { EventBridgeConfiguration: {} } };
  const common = {
    version: '0',
    bucket: { name: Bucket },
    'request-id': expect.any(String),
    requester: '123456789012',
    'source-ip-address': expect.any(String),
  };

  test('test_object_created_put', async () => {
    const { s3, put, cloud } = bucket(EventBridge);
    await put('data');
    await s3.send(new DeleteObjectCommand(OBJECT));
    await cloud.world.settle();
    expect(cloud.events.accepted.map(({ event }) => [event.source, event.resources, event.detail])).toEqual([
      [
        'aws.s3',
        [`arn:aws:s3:::${Bucket}`],
        {
          ...common,
          object: { key: 'my-key', size: 4, etag: '8d777f385d3dfec8815d20f7496026dc', sequencer: expect.any(String) },
          reason: 'PutObject',
        },
      ],
      [
        'aws.s3',
        [`arn:aws:s3:::${Bucket}`],
        {
          ...common,
          object: { key: 'my-key', sequencer: expect.any(String) },
          reason: 'DeleteObject',
          'deletion-type': 'Permanently Deleted',
        },
      ],
    ]);
  });
});
