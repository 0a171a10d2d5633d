import { expect, test } from 'vitest';
import type { HttpRequest } from '../runtime/http.js';
import { readFunctionRequest, readRequest, writeAnswer, writeError } from './wire.js';

const request = (more: Partial<HttpRequest>): HttpRequest => ({
  method: 'POST',
  host: '127.0.0.1:4566',
  path: '/',
  headers: {},
  body: '',
  ...more,
});
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const credential = 'test/20260105/eu-west-1/s3/aws4_request';

test.each<[string, Partial<HttpRequest>, string]>([
  ['its target', { headers: { 'x-amz-target': 'Logs_20140328.FilterLogEvents' } }, 'logs FilterLogEvents'],
  ['a target with dots', { headers: { 'x-amz-target': 'com.amazon.v1.Do' } }, 'com.amazon.v1 Do'],
  [
    'the scope of its signature',
    { method: 'PUT', path: '/shop/a', headers: { authorization: `AWS4-HMAC-SHA256 Credential=${credential}` } },
    's3 PutObject',
  ],
  [
    'the scope in a presigned address',
    { method: 'GET', path: `/shop/a?X-Amz-Credential=${encodeURIComponent(credential)}` },
    's3 GetObject',
  ],
  ['its host', { method: 'GET', host: 'shop.s3.eu-west-1.amazonaws.com', path: '/a' }, 's3 GetObject'],
  ['the host of a service', { host: 'lambda.eu-west-1.amazonaws.com', path: '/x' }, 'lambda POST /x'],
  ['its path', { path: '/2015-03-31/functions/Work/invocations' }, 'lambda Invoke'],
  ['its version', { headers: form, body: 'Action=DescribeStacks&Version=2010-05-15' }, 'cloudformation DescribeStacks'],
  [
    'the version behind its path',
    { method: 'GET', path: '/?Action=GetCallerIdentity&Version=2011-06-15' },
    'sts GetCallerIdentity',
  ],
])('a request names its service by %s', (_, more, named) => {
  const read = readRequest(request(more));
  expect(`${read?.service} ${read?.operation}`).toBe(named);
});

test.each<[string, string, string]>([
  ['GET', '/', 'ListBuckets'],
  ['GET', '/shop', 'ListObjects'],
  ['GET', '/shop?list-type=2', 'ListObjectsV2'],
  ['HEAD', '/shop/', 'HeadBucket'],
  ['GET', '/shop?versioning', 'GET bucket?versioning'],
  ['GET', '/shop/a/b', 'GetObject'],
  ['GET', '/shop/a?acl', 'GET object?acl'],
  ['POST', '/shop/a?uploads', 'POST object?uploads'],
  ['PUT', '/shop/a?partNumber=1&uploadId=x', 'PUT object?partNumber'],
])('S3 %s %s is %s', (method, path, operation) => {
  const headers = { authorization: `Credential=${credential}` };
  expect(readRequest(request({ method, path, headers }))?.operation).toBe(operation);
});

test('a copy is no put', () => {
  const headers = { authorization: `Credential=${credential}`, 'x-amz-copy-source': '/shop/b' };
  expect(readRequest(request({ method: 'PUT', path: '/shop/a', headers }))?.operation).toBe('PUT object by copy');
});

test('members of a Query request become lists and objects, in the order of their numbers', () => {
  const body =
    'Action=Do&Version=2010-05-15&Names.member.2=b&Names.member.1=a&Names.member.10=c&Parameters.member.1.Key=k&Text=x%20y';
  expect(readRequest(request({ headers: form, body }))?.input).toEqual({
    Names: ['a', 'b', 'c'],
    Parameters: [{ Key: 'k' }],
    Text: 'x y',
  });
});

test('XML leaves out what is undefined, and escapes the rest', () => {
  const query = { service: 'sts', protocol: 'query', operation: 'Do', input: {} } as const;
  const { body } = writeAnswer(query, { Text: '<a> & "b"\r', None: undefined, Empty: [], List: [['x'], 1, true] });
  expect(body).toContain(
    '<DoResult><Text>&lt;a&gt; &amp; &quot;b&quot;&#13;</Text><Empty></Empty>' +
      '<List><member><member>x</member></member><member>1</member><member>true</member></List></DoResult>',
  );
});

test('an error has the form of its protocol', () => {
  const error = { status: 400, code: 'com.amazonaws.sqs#QueueDoesNotExist', message: 'a <b>', more: { Extra: 1 } };
  const as = (service: string, protocol: 'json-1.0' | 'json-1.1' | 'query' | 'rest-xml', operation = 'Do') =>
    writeError({ service, protocol, operation, input: {} }, error);
  const json = as('sqs', 'json-1.0');
  expect(JSON.parse(json.body)).toEqual({ __type: error.code, message: 'a <b>', Extra: 1 });
  expect(json.headers).toMatchObject({
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-errortype': 'QueueDoesNotExist',
    'x-amzn-query-error': 'AWS.SimpleQueueService.NonExistentQueue;Sender',
  });
  expect(as('events', 'json-1.1').headers).not.toHaveProperty('x-amzn-query-error');
  expect(as('sts', 'query').body).toContain(
    '<Error><Type>Sender</Type><Code>QueueDoesNotExist</Code><Message>a &lt;b&gt;</Message></Error>',
  );
  expect(as('s3', 'rest-xml').body).toContain('<Message>a &lt;b&gt;</Message>');
  expect(as('s3', 'rest-xml', 'HeadObject').body).toBe('');
});

test('a function calls only services that have a model', () => {
  expect(readFunctionRequest(request({ headers: { 'x-amz-target': 'AmazonSQS.SendMessage' } })).service).toBe('sqs');
  expect(() => readFunctionRequest(request({ headers: { 'x-amz-target': 'SecretsManager.GetSecretValue' } }))).toThrow(
    'SecretsManager.GetSecretValue',
  );
});
