import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeAssembly } from '../support/clouds.js';
import { LocalCloud } from './local-cloud.js';

let cloud: LocalCloud;
beforeAll(async () => {
  const resources = { Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'things' } } };
  cloud = await LocalCloud.start({ folder: writeAssembly(resources), threads: 1, log: () => undefined });
});
afterAll(() => cloud.stop());

const AUTHORIZATION = 'AWS4-HMAC-SHA256 Credential=test/20260105/eu-west-1/s3/aws4_request';

/** Sends a request. @param path its target @returns status, length as the answer tells it, and bytes */
function ask(method: string, path: string, body?: Uint8Array): Promise<readonly unknown[]> {
  const { port } = new URL(cloud.url);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: { authorization: AUTHORIZATION } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () =>
          resolve([response.statusCode, response.headers['content-length'], [...Buffer.concat(chunks)]]),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

test('bytes that are no UTF-8 come back over HTTP, HEAD tells their length, and a target may be a whole address', async () => {
  const bytes = [0, 255, 254, 128];
  expect(await ask('PUT', '/things/a', new Uint8Array(bytes))).toEqual([200, '0', []]);
  expect(await ask('GET', '/things/a')).toEqual([200, '4', bytes]);
  expect(await ask('HEAD', '/things/a')).toEqual([200, '4', []]);
  expect(await ask('GET', 'http://things.example.com/things/a')).toEqual([200, '4', bytes]);
});
