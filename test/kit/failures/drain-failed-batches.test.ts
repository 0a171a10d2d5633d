import { randomUUID } from 'node:crypto';
import { type GetObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { bodyHashId } from '../../../packages/kit/failures/delivery.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { shopContract } from '../../support/inboxes/contract.js';

let drain: (records: readonly object[], packed?: (payload: object) => unknown, version?: string) => Promise<void>;
beforeAll(async () => {
  functionEnvironment();
  const { handler } = await import('../../../packages/kit/drains/drain-failed-batches.lambda.js');
  drain = async (Records, packed = (payload) => payload, version = 'v') => {
    const requestContext = { condition: 'RetryAttemptsExhausted' };
    const object = JSON.stringify({ requestContext, payload: packed({ Records }) });
    vi.spyOn(S3Client.prototype, 'send').mockImplementation((async () => ({
      Body: { transformToString: async () => object },
    })) as never);
    await handler({
      detail: { bucket: { name: 'b' }, object: { key: 'k', ...(version !== '' && { 'version-id': version }) } },
    } as never);
  };
});
beforeEach(() => void inProcessDynamoDb({ records: ['pk'] }));
afterEach(() => void vi.restoreAllMocks());

const commit = (id: string) => change({ pk: `Order#${id}`, sk: 'COMMIT#0000000001' });
const request = (more: Readonly<Record<string, string>>) =>
  change({ pk: 'LANE#l#k', sk: 'REQUEST#seats@0#1', ...more });
function change(item: Readonly<Record<string, string>>) {
  const image = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, { S: value }]));
  return { dynamodb: { Keys: { pk: image.pk, sk: image.sk }, NewImage: image } };
}
const failures = async () =>
  ((await documentClient.send(new ScanCommand({ TableName: 'records' }))).Items ?? [])
    .map(({ pk }) => String(pk))
    .toSorted();

const COMMITS = ['relay@0#Order#1/COMMIT#0000000001', 'relay@0#Order#2/COMMIT#0000000001'];

test.each([
  ['has no readable body', { consumer: 'seats', payload: 'not json' }, `seats@0#${bodyHashId('not json')}`],
  ['has no body', { consumer: 'seats' }, `seats@0#${bodyHashId('{"pk":"LANE#l#k","sk":"REQUEST#seats@0#1"}')}`],
  ['names no consumer', { payload: 'not json' }, 'relay@0#LANE#l#k/REQUEST#seats@0#1'],
])('a request that %s becomes a failure, and the requests behind it are recorded', async (_, more, failure) => {
  for (let times = 0; times < 2; times++) await drain([request(more), commit('1'), commit('2')]);
  expect(await failures()).toEqual([...COMMITS, failure].toSorted());
});

test('an item that can not be recorded now fails the run after all others were tried', async () => {
  const send = documentClient.send.bind(documentClient) as (command: unknown) => Promise<never>;
  let refusals = 1;
  vi.spyOn(documentClient, 'send').mockImplementation((async (command: unknown) => {
    if (command instanceof PutCommand && refusals-- > 0) throw new Error('throttled');
    return send(command);
  }) as never);
  await expect(drain([commit('1'), commit('2')])).rejects.toThrow();
  expect(await failures()).toEqual([COMMITS[1]]);
  await drain([commit('1'), commit('2')]);
  expect(await failures()).toEqual(COMMITS);
});

test('a batch whose payload is a text is read, too', async () => {
  await drain([commit('1'), commit('2')], JSON.stringify);
  expect(await failures()).toEqual(COMMITS);
});

test('the version of the object that the event is about is read, and the first one of a bucket that had no versions', async () => {
  await drain([commit('1')]);
  const versions = () =>
    vi
      .mocked(S3Client.prototype.send)
      .mock.calls.map(([command]) => (command.input as GetObjectCommandInput).VersionId);
  expect(versions()).toEqual(['v']);
  await drain([commit('1')], undefined, '');
  expect(versions().at(-1)).toBe('null');
});

test('of a request that is too old, it is unknown whether it was processed', async () => {
  const requestOf = (id: string, days: number) => {
    const time = new Date(Date.now() - days * 86_400_000).toISOString();
    const message = eventMessage(
      shopContract,
      { type: 'ParcelSent', data: { name: 'p' } },
      { id, time, subject: 'Parcel/p' },
    );
    return request({
      consumer: 'seats',
      generation: '0',
      payload: JSON.stringify({ source: message.source, 'detail-type': message.type, detail: message }),
    });
  };
  const [old, young] = [randomUUID(), randomUUID()];
  await drain([requestOf(old, 40), requestOf(young, 1)]);
  const recordOf = async (id: string) =>
    ((await documentClient.send(new ScanCommand({ TableName: 'records' }))).Items ?? []).find(
      ({ messageId }) => messageId === id,
    );
  expect(await recordOf(old)).toMatchObject({
    status: 'FAILED',
    unknown: true,
    type: 'ParcelSent',
    subject: 'Parcel/p',
  });
  expect(await recordOf(young)).toMatchObject({ status: 'FAILED' });
  expect(await recordOf(young)).not.toHaveProperty('unknown');
});
