import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { smallestIdAt } from '../../../packages/kit/aws/ids.js';
import { LIVE_ALIAS } from '../../../packages/kit/base/outputs.js';
import { OperatorError } from '../../../packages/operator/cli/errors.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { restoreCommands } from '../../../packages/operator/commands/restore.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import type { RestorableTable, RestoreAccess } from '../../../packages/operator/restore/access.js';
import { planRestore, type RestorePlanRequest } from '../../../packages/operator/restore/plan.js';
import { type Call, inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const NOW = '2026-12-01T12:00:00.000Z';
const AT = '2026-12-01T11:00:00.000Z';

const consumer = (name: string, more: Partial<Service['consumers'][number]> = {}) => ({
  name,
  generation: 0,
  queueUrl: `https://queue/${name}`,
  events: [{ service: 'trips', types: ['TripBooked'] }],
  takesCommands: false,
  dedupeWindowSeconds: 35 * 86_400,
  longestRedeliverySeconds: 22 * 86_400,
  projection: false,
  ...more,
});
const serviceOf = (name: string, ...consumers: Service['consumers']): Service => ({
  name,
  table: name,
  records: `${name}-records`,
  relay: `${name}-relay`,
  feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 2 }],
  consumers,
});
const SERVICES = [
  serviceOf('trips', consumer('trips-payments', { events: [] }), consumer('trips-list', { projection: true })),
  serviceOf('hotel', consumer('rooms'), consumer('rooms-commands', { events: [], takesCommands: true })),
  serviceOf('points', consumer('points', { inbox: { mode: 'sequential', queueUrl: 'https://queue/runner' } })),
];
const fn = (service: string, name: string) => ({ service, entry: `${service}/${name}`, name });
const STACKS = {
  Trips: {
    ServiceName: 'trips',
    Functions: JSON.stringify([
      fn('trips', 'trips-relay'),
      fn('trips', 'book'),
      fn('trips', 'show'),
      fn('trips', 'on'),
    ]),
  },
  Hotel: { ServiceName: 'hotel', Functions: JSON.stringify([fn('hotel', 'rooms')]) },
};

let tables: Record<string, RestorableTable | undefined>;
let calls: readonly Call[];
const RESTORABLE = { from: '2026-10-27T00:00:00.500Z', to: '2026-12-01T11:55:00.000Z' };
const access: RestoreAccess = {
  now: () => NOW,
  table: async (name) => tables[name],
  epoch: async (name) => (name === 'on' ? 2 : undefined),
  reserved: async (name) => (name === 'on' ? 10 : undefined),
};
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  tables = {
    trips: { items: 1200, bytes: 3_400_000, restorable: RESTORABLE },
    'trips-records': { items: 90, bytes: 800, restorable: RESTORABLE },
  };
  ({ calls } = inProcessDynamoDb({ trips: ['pk', 'sk'] }, { trips: { feed: ['feedPk', 'feedSk'] } }));
});
afterEach(() => void vi.useRealTimers());

/** Puts a commit, as the event store writes it: an event, and a command to the hotel. */
async function booked(id: string, at: string): Promise<void> {
  const message = (type: string, more: object = {}) => ({
    id: `${type}-${id}`,
    type,
    schemaVersion: 1,
    data: '{}',
    ...more,
  });
  const Item = {
    pk: `Trip#${id}`,
    sk: 'COMMIT#0000000001',
    events: [message('TripBooked')],
    commands: [message('KeepRoom', { to: 'hotel' })],
    lastVersion: 1,
    trigger: 'request',
    actor: 'user:alice',
    correlationId: 'c',
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    at,
    feedPk: `${at.slice(0, 13)}#0`,
    feedSk: smallestIdAt(Date.parse(at)),
  };
  await documentClient.send(new PutCommand({ TableName: 'trips', Item }));
  vi.advanceTimersByTime(60_000); // an index comes a moment later
}

const planned = (request: Partial<RestorePlanRequest> = {}) =>
  planRestore(
    {
      documents: documentClient,
      services: SERVICES,
      stacks: STACKS,
      environment: 'dev',
      command: commandFormatter('shop'),
      runbook: 'runbook.md',
    },
    { service: 'trips', at: AT, ...request },
    access,
  );

describe('a plan to restore a service', () => {
  test('names what it forgets, and who has received that: what was committed from the instant on', async () => {
    await booked('before', '2026-12-01T10:59:59.999Z');
    await booked('first', AT);
    await booked('second', '2026-12-01T11:30:00.000Z');
    const { exitCode, json, text } = await planned();
    expect(exitCode).toBe(0);
    expect(json.restorePlan).toMatchObject({
      possible: true,
      epoch: { before: 2, after: 3 },
      forgotten: {
        commits: 2,
        first: AT,
        last: '2026-12-01T11:30:00.000Z',
        types: [
          { type: 'KeepRoom', count: 2 },
          { type: 'TripBooked', count: 2 },
        ],
        subjects: ['Trip/first', 'Trip/second'],
        heardBy: [
          { service: 'points', consumer: 'points', count: 2, inbox: 'sequential' },
          { service: 'hotel', consumer: 'rooms', count: 2 },
          { service: 'hotel', consumer: 'rooms-commands', count: 2 },
        ],
      },
      ownConsumers: ['trips-payments'],
      projections: ['trips-list'],
    });
    expect(text).toMatch(/^trips can be restored to 2026-12-01T11:00:00\.000Z\. Its epoch becomes 3\n/);
    expect(text).toMatch(/\n {2}points\/points +2 +takes back what it did for an aggregate with its next event\n/);
    expect(text).toMatch(/\n {2}hotel\/rooms +2 +undo by hand what has no event any more\n/);
  });

  test('counts a commit that can not be read, names its aggregate, and continues behind it', async () => {
    await booked('first', AT);
    const at = '2026-12-01T11:10:00.000Z';
    const place = { feedPk: `${at.slice(0, 13)}#0`, feedSk: smallestIdAt(Date.parse(at)) };
    const Item = { pk: 'Trip#poison', sk: 'COMMIT#0000000001', events: [], ...place };
    await documentClient.send(new PutCommand({ TableName: 'trips', Item }));
    await booked('second', '2026-12-01T11:30:00.000Z');
    const { exitCode, json } = await planned();
    expect(exitCode).toBe(0);
    expect(json.restorePlan).toMatchObject({
      forgotten: { commits: 3, last: '2026-12-01T11:30:00.000Z', subjects: expect.arrayContaining(['Trip/poison']) },
    });
    expect(json.restorePlan).toMatchObject({ forgotten: { heardBy: [{ count: 2 }, { count: 2 }, { count: 2 }] } });
  });

  test('says that no consumer has received anything if nothing was committed', async () =>
    expect((await planned()).text).toContain(
      '\nnothing was committed since 2026-12-01T11:00:00.000Z: nobody has heard',
    ));

  test('a plan has each step, with the names that it needs', async () => {
    const { text } = await planned();
    const copies = ['trips', 'trips-records'].map((name) => `${name}-restored-20261201110000`);
    for (const line of [
      // The relay publishes to the end.
      'for name in book show on; do for id in $(aws lambda list-event-source-mappings ',
      // AWS lists mappings of an alias by the alias only.
      `ends_with(FunctionArn, ':$name:${LIVE_ALIAS}')`,
      'do aws lambda update-event-source-mapping --no-enabled --uuid "$id"; done; done',
      'do aws lambda update-event-source-mapping --enabled --uuid "$id"; done; done',
      'for name in book show on; do aws lambda put-function-concurrency --reserved-concurrent-executions 0 --function-name "$name"; done',
      `aws dynamodb restore-table-to-point-in-time --source-table-name trips --target-table-name ${copies[0]} --restore-date-time ${AT}`,
      `aws dynamodb wait table-exists --table-name ${copies[1]}`,
      'epochs: { trips: 3 }',
      // Each function gets back what it had.
      'for name in book show; do aws lambda delete-function-concurrency --function-name "$name"; done',
      'for name in on; do aws lambda put-function-concurrency --reserved-concurrent-executions 10 --function-name "$name"; done',
      'shop audit --from 2026-11-30T11:00:00.000Z --consumer trips-payments --resend',
      'shop projections rebuild trips-list --check',
      `aws dynamodb delete-table --table-name ${copies[0]}`,
      'steps (runbook.md, "Restore to a point in time"):',
    ])
      expect(text).toContain(line);
  });

  test('changes nothing', async () => {
    await planned();
    expect(new Set(calls.map(({ operation }) => operation))).toEqual(new Set(['Query']));
  });

  test.each([
    ['has no point-in-time recovery', { items: 1, bytes: 1 }, /no point-in-time recovery/],
    [
      'began later',
      { items: 1, bytes: 1, restorable: { ...RESTORABLE, from: '2026-12-01T11:00:00.001Z' } },
      /earliest/,
    ],
    [
      'is not so far yet',
      { items: 1, bytes: 1, restorable: { ...RESTORABLE, to: '2026-12-01T10:59:59.000Z' } },
      /latest/,
    ],
    ['is gone', undefined, /it is gone/],
  ])('a plan has no steps if a table %s', async (_, state, why) => {
    tables['trips-records'] = state;
    const { exitCode, text, json } = await planned();
    expect(exitCode).toBe(4);
    expect(json.restorePlan).toMatchObject({ possible: false });
    expect(text).toMatch(/^trips can't be restored to 2026-12-01T11:00:00\.000Z: trips-records: /);
    expect(text).toMatch(why);
    expect(text).not.toContain('steps');
  });

  describe('a plan to restore a service that was restored before', () => {
    const restored = (more: object = {}) =>
      documentClient.send(
        new PutCommand({
          TableName: 'trips',
          Item: {
            pk: 'RESTORE',
            sk: '2026-12-01T09:00:00.000Z',
            epoch: 1,
            begunAt: '2026-12-01T11:10:00.000Z',
            begunBy: 'olga',
            run: 'run',
            functions: [],
            mappings: [],
            copyingSince: '2026-12-01T11:20:00.000Z',
            resumedAt: '2026-12-01T10:59:00.000Z',
            commitsHaveEpochs: true,
            ...more,
          },
        }),
      );

    test('names its steps for an instant behind the end of that restore', async () => {
      await restored();
      expect(await planned()).toMatchObject({ exitCode: 0, json: { restorePlan: { possible: true } } });
    });

    test.each([
      [
        'is before the end of that restore',
        { resumedAt: '2026-12-01T11:30:00.000Z' },
        /expected an instant after that end/,
      ],
      ['is before it is done', { resumedAt: undefined }, /which is under way/],
      ['follows a release whose commits have no epoch', { commitsHaveEpochs: undefined }, /don't store their epoch/],
    ])('a plan has no steps for an instant that %s', async (_, more, why) => {
      await restored(more);
      const { exitCode, text, json } = await planned();
      expect(exitCode).toBe(4);
      expect(json.restorePlan).toMatchObject({ possible: false, forbidden: expect.stringMatching(why) });
      expect(text).toMatch(
        /^trips can't be restored to 2026-12-01T11:00:00\.000Z: trips was restored to 2026-12-01T09/,
      );
      expect(text).not.toContain('steps');
    });

    test.each([{ cancelledAt: '2026-12-01T11:30:00.000Z' }, { copyingSince: undefined }])(
      'a restore that changed nothing does not prevent another one: %o',
      async (more) => {
        await restored({ resumedAt: undefined, ...more });
        expect((await planned()).exitCode).toBe(0);
      },
    );
  });

  test('needs a service that exists, and a time that has passed', async () => {
    await expect(planned({ service: 'trip' })).rejects.toMatchObject({
      code: 'not-found',
      message: "There is no service 'trip'; there are: trips, hotel, points.",
    });
    await expect(planned({ at: NOW })).rejects.toMatchObject({ code: 'refused' });
  });
});

test.each([
  undefined,
  'yesterday',
  '2026-12-01',
  '2026-12-01T11:00:00.5Z',
  '2026-12-01T11:00:00+01:00',
  '2026-13-01T11:00:00Z',
])('--at %s is a wrong call', (at) => {
  const [command] = restoreCommands('trips');
  const wrong = (mistake: string) => new OperatorError('usage', mistake);
  expect(() => command?.parse({ words: ['trips'], options: { at }, wrong })).toThrow(/--at/);
});
