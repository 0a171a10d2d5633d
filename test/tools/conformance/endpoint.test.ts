import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, startEndpoint } from '../../../tools/conformance/endpoint.js';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterAll(() => endpoint.stop());

async function ask(target: string, input: object) {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
  const response = await fetch(endpoint.url, { method: 'POST', headers, body: JSON.stringify(input) });
  return { status: response.status, body: (await response.json()) as object };
}

test('answers as DynamoDB does, and names operations that it does not know', async () => {
  expect(await ask('DynamoDB_20120810.ListTables', {})).toEqual({ status: 200, body: { TableNames: [] } });
  expect(await ask('DynamoDBStreams_20120810.ListStreams', {})).toEqual({ status: 200, body: { Streams: [] } });
  const refused = await ask('DynamoDB_20120810.DescribeTable', { TableName: 'none' });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
      message: 'Requested resource not found: Table: none not found',
    },
  });
  for (const target of [
    'DynamoDB_20120810.Fly',
    'DynamoDB_20120810.ListStreams',
    'DynamoDBStreams_20120810.ListTables',
  ]) {
    expect(await ask(target, {})).toMatchObject({
      status: 400,
      body: { __type: 'com.amazon.coral.service#UnknownOperationException' },
    });
  }
});

test('answers no page in a browser', async () => {
  const headers = { origin: 'null', 'x-amz-target': 'DynamoDB_20120810.ListTables' };
  expect((await fetch(endpoint.url, { method: 'POST', headers, body: '{}' })).status).toBe(403);
});
