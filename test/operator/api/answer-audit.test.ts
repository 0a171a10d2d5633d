import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { smallestIdAt } from '../../../packages/kit/aws/ids.js';
import { AUDIT_SECONDS, answerAudit } from '../../../packages/operator/api/answers.js';
import type { CommandContext } from '../../../packages/operator/cli/context.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const NOW = '2026-12-01T12:30:00.000Z';
const AT = '2026-12-01T12:10:00.000Z';

const trips: Service = {
  name: 'trips',
  table: 'trips',
  records: 'trips-records',
  relay: '',
  feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 1 }],
  consumers: [],
};

const context: CommandContext = {
  app: 'shop',
  environment: 'dev',
  endpoint: { url: undefined, region: 'eu-west-1' },
  documents: documentClient,
  clock,
  stacks: {},
  services: [trips],
  command: commandFormatter('shop'),
  actor: () => expect.fail('nothing is changed'),
  say: () => undefined,
};

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) });
  inProcessDynamoDb({ trips: ['pk', 'sk'], 'trips-records': ['pk'] }, { trips: { feed: ['feedPk', 'feedSk'] } });
  await documentClient.send(
    new PutCommand({
      TableName: 'trips',
      Item: {
        pk: 'Trip#1',
        sk: 'COMMIT#0000000001',
        events: [{ id: 'event-1', type: 'TripBooked', schemaVersion: 1, data: '{}' }],
        lastVersion: 1,
        trigger: 'request',
        actor: 'user:alice',
        correlationId: 'c',
        traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
        at: AT,
        feedPk: `${AT.slice(0, 13)}#0`,
        feedSk: smallestIdAt(Date.parse(AT)),
      },
    }),
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Lets each call to DynamoDB take so long. */
function slow(seconds: number): void {
  const send = documentClient.send.bind(documentClient);
  vi.spyOn(documentClient, 'send').mockImplementation(async (...call: Parameters<typeof send>) => {
    vi.setSystemTime(Date.now() + seconds * 1000);
    return send(...call);
  });
}

test('an audit within its time is the JSON object of the command', async () => {
  slow(1);
  expect(await answerAudit(context, { since: '1h' })).toMatchObject({
    status: 200,
    body: { audit: { commits: 1, messages: 1, missing: [], resent: false } },
  });
});

const LATE = {
  status: 400,
  detail: `the audit was not finished within ${AUDIT_SECONDS} seconds: ask for a shorter time, or run shop audit --since 1h`,
};

test('an audit begins no query after its time, and the refusal names the command', async () => {
  slow(AUDIT_SECONDS);
  await expect(answerAudit(context, { since: '1h' })).rejects.toMatchObject(LATE);
});

test('the time of an audit is also over when no page of a query has a commit', async () => {
  slow(AUDIT_SECONDS);
  const quiet = { ...trips, feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 4 }] };
  vi.setSystemTime(Date.parse(NOW) + 3 * 3_600_000);
  await expect(answerAudit({ ...context, services: [quiet] }, { since: '1h' })).rejects.toMatchObject(LATE);
  expect(documentClient.send).toHaveBeenCalledOnce();
});

test('an audit that has nothing more to read is an answer, even if its last page was late', async () => {
  slow(AUDIT_SECONDS - 1);
  expect(await answerAudit(context, { from: '2026-12-01T12:00:00Z', to: NOW })).toMatchObject({
    body: { audit: { commits: 1 } },
  });
  expect(Date.now() - Date.parse(NOW)).toBeGreaterThan(AUDIT_SECONDS * 1000);
});

test('a short time of a full hour reads its own commits only', async () => {
  vi.advanceTimersByTime(60_000); // an index comes a moment later
  const read = vi.spyOn(documentClient, 'send');
  const span = { from: '2026-12-01T12:20:00Z', to: '2026-12-01T12:25:00Z' };
  expect(await answerAudit(context, span)).toMatchObject({ body: { audit: { commits: 0 } } });
  expect(read.mock.calls.map(([command]) => command.constructor.name)).toEqual(['QueryCommand']);
});
