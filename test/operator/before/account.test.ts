import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logsManagementEvents, readAccount } from '../../../packages/operator/before/account.js';

/** AWS as far as the account is read: answers by the operation, or by the path of a REST API. */
const ANSWERS: Readonly<Record<string, object>> = {
  '/2016-08-19/account-settings': {
    AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 900 },
  },
  '/account': { cloudwatchRoleArn: 'arn:aws:iam::123456789012:role/logs' },
  '/account-settings': { ResourceTypeOptInPreference: { DynamoDB: true } },
  ListServiceQuotas: { Quotas: [{ QuotaCode: 'L-5540C5E3', Value: 2_250 }] },
  DescribeTrails: { trailList: [{ TrailARN: 'arn:on' }, { TrailARN: 'arn:off' }] },
  GetEventSelectors: { EventSelectors: [{ IncludeManagementEvents: true, ReadWriteType: 'All' }] },
  DescribeParameters: { Parameters: [{ Name: '/shop/key', Type: 'SecureString' }] },
};

let server: Server;
let url = '';
beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { status, body } = answer(request, Buffer.concat(parts).toString());
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

function answer({ headers, url: path = '' }: IncomingMessage, text: string) {
  const operation =
    String(headers['x-amz-target'] ?? '')
      .split('.')
      .at(-1) ?? '';
  const input = text === '' ? {} : (JSON.parse(text) as { Name?: string });
  if (operation === 'GetTrailStatus') return { status: 200, body: { IsLogging: input.Name === 'arn:on' } };
  if (operation === 'DescribeEventBus') {
    return input.Name === 'shop'
      ? { status: 200, body: { Name: 'shop' } }
      : { status: 400, body: { __type: 'ResourceNotFoundException', message: 'none' } };
  }
  const body = ANSWERS[operation || (path.split('?')[0]?.replace(/\/$/, '') ?? '')];
  return body ? { status: 200, body } : { status: 404, body: { message: `${operation} ${path}` } };
}

describe('an account', () => {
  test("is read by AWS's own clients", async () => {
    const facts = readAccount({ url, region: 'eu-west-1' });
    try {
      expect(await facts.concurrency()).toEqual({ limit: 1_000, unreserved: 900 });
      expect([...(await facts.eventQuotas())]).toEqual([['L-5540C5E3', 2_250]]);
      expect(await facts.apiRole()).toBe('arn:aws:iam::123456789012:role/logs');
      expect(await facts.backsUpDynamoDb()).toBe(true);
      expect(await facts.managementTrails()).toEqual(['arn:on']);
      expect([...(await facts.parameterTypes(['/shop/key', '/shop/other']))]).toEqual([['/shop/key', 'SecureString']]);
      expect([await facts.hasBus('shop'), await facts.hasBus('other')]).toEqual([true, false]);
    } finally {
      facts.close();
    }
  });

  test('a trail counts if it logs management events that write', () => {
    const category = { Field: 'eventCategory', Equals: ['Management'] };
    const onlyReads = { Field: 'readOnly', Equals: ['true'] };
    expect(logsManagementEvents({ AdvancedEventSelectors: [{ FieldSelectors: [category] }] })).toBe(true);
    expect(logsManagementEvents({ AdvancedEventSelectors: [{ FieldSelectors: [category, onlyReads] }] })).toBe(false);
    const data = { Field: 'eventCategory', Equals: ['Data'] };
    expect(logsManagementEvents({ AdvancedEventSelectors: [{ FieldSelectors: [data] }] })).toBe(false);
    expect(logsManagementEvents({ EventSelectors: [{ ReadWriteType: 'ReadOnly' }] })).toBe(false);
    expect(logsManagementEvents({ EventSelectors: [{ IncludeManagementEvents: false }] })).toBe(false);
    expect(logsManagementEvents({})).toBe(false);
  });
});
