import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { afterEach, expect, test } from 'vitest';
import { type KnownState, readFailing } from '../../../packages/operator/status/read-failing.js';

const NOW = '2026-03-01T12:09:30.000Z';
const MINUTE = new Date('2026-03-01T12:08:00.000Z');
const PREFIX = 'cinema-test-';
const FN = `${PREFIX}Halls-OnBooking`;

let logs: Server | undefined;
afterEach(() => logs?.close());

/** A CloudWatch with two calls of each function in one minute, and with what some metrics have counted in it. */
const cloudWatchOf = (counted: Readonly<Record<string, number>>) =>
  ({
    send: async ({ input }: GetMetricDataCommand) => ({
      MetricDataResults: input.MetricDataQueries?.map(({ Id, MetricStat }) => {
        const value = { Invocations: 2, ...counted }[MetricStat?.Metric?.MetricName ?? ''];
        return value === undefined ? { Id } : { Id, Timestamps: [MINUTE], Values: [value] };
      }),
    }),
  }) as unknown as CloudWatchClient;

/** Starts logs that give an answer to each operation, or refuse all. @returns their address */
async function startLogs(answers?: Readonly<Record<string, unknown>>): Promise<string> {
  const server = createServer(({ headers }, response) => {
    const answer = answers?.[String(headers['x-amz-target']).split('.')[1] ?? ''];
    response.writeHead(answer ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(answer ?? { __type: 'AccessDeniedException', message: 'not allowed' }));
  });
  logs = server;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Logs with one line of a function. */
const logsWith = (line: object) =>
  startLogs({
    DescribeLogGroups: { logGroups: [{ logGroupName: `${PREFIX}Halls-Logs` }] },
    FilterLogEvents: {
      events: [
        {
          logStreamName: `2026/03/01/${FN}[$LATEST]aa`,
          timestamp: MINUTE.getTime() + 1_000,
          message: JSON.stringify(line),
        },
      ],
    },
  });

const stateOf = (url: string, more: Partial<KnownState>): KnownState => ({
  app: 'cinema',
  environment: 'test',
  endpoint: { url, region: 'eu-west-1' },
  prefix: PREFIX,
  now: NOW,
  functions: [],
  consumers: [],
  relays: [],
  triedFor: new Map(),
  mapFrames: (frames) => frames,
  ...more,
});
const unexpected = (error: unknown) => expect.fail(String(error));

test('a function whose calls fail is named although the log can not be read, which is said', async () => {
  const unread: unknown[] = [];
  const functions = [{ service: 'halls', entry: 'halls/get-hall', name: FN }];
  const state = stateOf(await startLogs(), { functions });
  const failing = await readFailing(cloudWatchOf({ Errors: 2 }), state, (error) => unread.push(error));
  expect(failing).toMatchObject([{ service: 'halls', entry: 'halls/get-hall', calls: 2, failed: 2 }]);
  expect(unread).toEqual([expect.objectContaining({ name: 'AccessDeniedException' })]);
});

test('a consumer that puts its messages off fails without an error of a call, where something waits', async () => {
  const functions = [{ service: 'halls', entry: 'halls/on-booking', name: FN, consumer: 'bookings' }];
  const consumer = { service: 'halls', consumer: 'bookings', kind: 'consumer', failed: 0, moreFailed: false } as const;
  const url = await logsWith({ level: 'WARN', message: 'retrying', name: 'WriteConflict' });
  const read = (pending: number) =>
    readFailing(
      cloudWatchOf({ TransientFailures: 1 }),
      stateOf(url, { functions, consumers: [{ ...consumer, pending, inFlight: 0 }] }),
      unexpected,
    );
  expect(await read(1)).toMatchObject([
    { consumer: 'bookings', calls: 2, failed: 0, retried: 1, lastError: { name: 'WriteConflict' } },
  ]);
  expect(await read(0)).toEqual([]);
});

test('a relay that sends nothing fails without an error of a call, once it is late', async () => {
  const functions = [{ service: 'halls', entry: 'kit/outbox/relay', name: FN }];
  const url = await logsWith({ level: 'ERROR', message: 'some entries were not sent in time', name: 'NotSent' });
  const read = (lagSeconds: number) =>
    readFailing(
      cloudWatchOf({ EventsUnsent: 1 }),
      stateOf(url, { functions, relays: [{ service: 'halls', lagSeconds, failed: 0, moreFailed: false }] }),
      unexpected,
    );
  expect(await read(2)).toMatchObject([
    { kind: 'relay', retried: 1, lastError: { name: 'NotSent' }, oldestSeconds: 2 },
  ]);
  expect(await read(1)).toEqual([]);
});
