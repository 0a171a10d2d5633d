import {
  CloudWatchLogsClient,
  DescribeLogStreamsCommand,
  type FilteredLogEvent,
  FilterLogEventsCommand,
  GetLogEventsCommand,
  GetQueryResultsCommand,
  MalformedQueryException,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
  ResourceNotFoundException,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { expect, test } from 'vitest';
import { awsApiOf } from '../../support/clients.js';
import { createCloud, functionResource } from '../../support/clouds.js';
import { parseFilterPattern } from './filter-pattern.js';

const code = 'exports.handler = async (event) => console.log(event);';
const logGroupName = '/aws/lambda/Shop-Work';

async function shop(...lines: readonly string[]) {
  const cloud = createCloud(
    {
      ...functionResource('Work'),
      ...functionResource('Other', [], { LoggingConfig: { LogGroup: { Ref: 'Lines' } } }),
      Lines: { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: 'lines', RetentionInDays: 7 } },
    },
    { Work: code, Other: code },
  );
  for (const line of lines) {
    for (const name of ['Shop/Work', 'Shop/Other']) cloud.fn(name).invoke(`${name} ${line}`, () => undefined);
    await cloud.world.settle();
  }
  return { cloud, logs: new CloudWatchLogsClient(awsApiOf(cloud).config) };
}

test('log groups are those of the templates and of functions without one', async () => {
  const { logs } = await shop();
  const groups: unknown[] = [];
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client: logs, pageSize: 1 }, {}))
    groups.push(...logGroups);
  expect(groups).toMatchObject([{ logGroupName }, { logGroupName: 'lines', retentionInDays: 7 }]);
});

test('lines are found by group, time and text, page by page, and none twice', async () => {
  const { logs, cloud } = await shop('a', 'b', 'a b', 'c');
  const found: FilteredLogEvent[] = [];
  const search = { logGroupName, filterPattern: '?"Work a" ?c' };
  for await (const { events = [] } of paginateFilterLogEvents({ client: logs, pageSize: 1 }, { ...search })) {
    expect(events.length).toBeLessThanOrEqual(1);
    found.push(...events);
  }
  expect(found.map(({ message }) => message)).toEqual(['Shop/Work a', 'Shop/Work a b', 'Shop/Work c']);
  expect(new Set(found.map(({ eventId }) => eventId)).size).toBe(3);
  const again = await logs.send(new FilterLogEventsCommand(search));
  expect(again.events?.map(({ eventId }) => eventId)).toEqual(found.map(({ eventId }) => eventId));
  const times = cloud.log.filter(({ fn }) => fn === 'Shop/Other').map(({ at }) => at);
  const between = { logGroupName: 'lines', startTime: times[1], endTime: times[2] };
  const some = await logs.send(new FilterLogEventsCommand(between));
  expect(some.events?.map(({ message }) => message)).toEqual(['Shop/Other b', 'Shop/Other a b']);
});

test('a stream is read backwards from its end, or forwards from its head', async () => {
  const { logs } = await shop('a', 'b', 'c');
  const { logStreams = [] } = await logs.send(new DescribeLogStreamsCommand({ logGroupName }));
  const stream = { logGroupName, logStreamName: logStreams[0]?.logStreamName, limit: 2 };
  const read = async (more: object) => {
    const { events = [], ...tokens } = await logs.send(new GetLogEventsCommand({ ...stream, ...more }));
    return { lines: events.map(({ message }) => message?.at(-1)).join(''), ...tokens };
  };
  const last = await read({});
  expect(last.lines).toBe('bc');
  expect((await read({ nextToken: last.nextBackwardToken })).lines).toBe('a');
  const first = await read({ startFromHead: true });
  expect(first.lines).toBe('ab');
  const second = await read({ nextToken: first.nextForwardToken });
  expect(second.lines).toBe('c');
  const end = await read({ nextToken: second.nextForwardToken });
  expect([end.lines, end.nextForwardToken]).toEqual(['', second.nextForwardToken]);
});

test('functions that share a group have a stream each, whose name contains theirs', async () => {
  const LoggingConfig = { LogGroup: { Ref: 'Lines' } };
  const shared =
    'exports.handler = async (event, { logGroupName, logStreamName }) => console.log(event, logGroupName, logStreamName);';
  const cloud = createCloud(
    {
      ...functionResource('Work', [], { LoggingConfig }),
      ...functionResource('Other', [], { LoggingConfig }),
      Lines: { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: 'lines' } },
    },
    { Work: shared, Other: shared },
  );
  for (const name of ['Shop/Work', 'Shop/Other']) {
    cloud.fn(name).invoke(name, () => undefined);
    await cloud.world.settle();
  }
  const logs = new CloudWatchLogsClient(awsApiOf(cloud).config);
  const group = { logGroupName: 'lines' };
  const { logStreams = [] } = await logs.send(new DescribeLogStreamsCommand(group));
  const streams = logStreams.flatMap(({ logStreamName }) => logStreamName ?? []);
  expect(streams.map((name) => /\/([^/[]+)\[/.exec(name)?.[1])).toEqual(['Shop-Work', 'Shop-Other']);
  const { events: all = [] } = await logs.send(new FilterLogEventsCommand(group));
  const expected = streams.map((name, at) => [name, `${['Shop/Work', 'Shop/Other'][at]} lines ${name}`]);
  expect(all.map(({ logStreamName, message }) => [logStreamName, message])).toEqual(expected);
  const one = await logs.send(new FilterLogEventsCommand({ ...group, logStreamNames: streams.slice(1) }));
  expect(one.events?.map(({ message }) => message)).toEqual([expected[1]?.[1]]);
  const read = await logs.send(new GetLogEventsCommand({ ...group, logStreamName: streams[0] }));
  expect(read.events?.map(({ message }) => message)).toEqual([expected[0]?.[1]]);
});

test("a group that doesn't exist is AWS's error; one without lines has no stream", async () => {
  const { logs } = await shop();
  const missing = logs.send(new FilterLogEventsCommand({ logGroupName: 'none' }));
  await expect(missing).rejects.toThrow(ResourceNotFoundException);
  expect((await logs.send(new DescribeLogStreamsCommand({ logGroupName }))).logStreams).toEqual([]);
});

test.each<[string, string, boolean]>([
  ['', 'anything', true],
  ['one two', 'two and one', true],
  ['one two', 'one', false],
  ['"one two"', 'one two', true],
  ['"one two"', 'two one', false],
  ['one -two', 'one two', false],
  ['one -two', 'one', true],
  ['?one ?two', 'two', true],
  ['?one ?two', 'three', false],
  ['"say \\"hi\\""', 'say "hi"', true],
  ['{ $.age = * }', '{"age":0}', true],
  ['{ $.at.age = * }', '{"at":{"age":1}}', true],
  ['{ $.age = * }', '{"page":0}', false],
  ['{ $.age = * }', 'age', false],
  ['{ $.age = "*" }', '{"age":0}', true],
  ['{ $.age >= 0 }', '{"age":0}', true],
  ['{ $.age > 0.5 }', '{"age":0.5}', false],
  ['{ $.age < 0.5 }', '{"age":0.4}', true],
  ['{ $.age <= -1 }', '{"age":0}', false],
  ['{ $.age >= 0 }', '{"age":"1"}', false],
])('filter %s of %s', (pattern, line, fits) => {
  expect(parseFilterPattern(pattern)(line)).toBe(fits);
});

test('a pattern of JSON is an error, not a guess', () => {
  expect(() => parseFilterPattern('{ $.level != "ERROR" }')).toThrow('the filter pattern { $.level');
});

test.each([
  [
    'JSON',
    { LogFormat: 'JSON', SystemLogLevel: 'WARN' },
    /^\{"time":".*","type":"platform\.report","record":\{.*"status":"timeout"\}\}$/,
  ],
  ['text', {}, /^RequestId: .* Error: Task timed out after 10\.00 seconds$/],
])(
  'Lambda leaves a line of an invocation that it cuts off, as %s, and none of one that ends',
  async (_, LoggingConfig, line) => {
    const cloud = createCloud(functionResource('Work', [], { LoggingConfig }), {
      Work: 'exports.handler = async (event) => (event.hangs ? new Promise(() => {}) : 1);',
    });
    for (const hangs of [false, true]) {
      cloud.fn('Shop/Work').invoke({ hangs }, () => undefined);
      await cloud.world.settle();
    }
    const logs = new CloudWatchLogsClient(awsApiOf(cloud).config);
    const { events = [] } = await logs.send(new FilterLogEventsCommand({ logGroupName }));
    expect(events.map(({ message }) => message)).toEqual([expect.stringMatching(line)]);
  },
);

/** Logs what it is called with, as one line. */
async function queried(queryString: string, more: { readonly limit?: number } = {}) {
  const cloud = createCloud(functionResource('Work'), {
    Work: 'exports.handler = async (event) => console.log(event);',
  });
  const lines = [
    { message: 'applied', correlationId: 'a', attempt: 1 },
    { message: 'duplicate', correlationId: 'a', error: { name: 'Busy' } },
    { message: 'applied', correlationId: 'b' },
  ];
  for (const line of [...lines.map((one) => JSON.stringify(one)), 'plain words']) {
    cloud.fn('Shop/Work').invoke(line, () => undefined);
    await cloud.world.settle();
  }
  const logs = new CloudWatchLogsClient(awsApiOf(cloud).config);
  const seconds = { startTime: cloud.world.begins / 1000, endTime: Math.ceil(cloud.world.now / 1000) };
  const { queryId } = await logs.send(
    new StartQueryCommand({ logGroupNames: [logGroupName], ...seconds, queryString, ...more }),
  );
  const { status, results = [] } = await logs.send(new GetQueryResultsCommand({ queryId }));
  expect(status).toBe('Complete');
  return results.map((row) => Object.fromEntries(row.map(({ field, value }) => [field, value])));
}

test('a query finds lines by their members, in the order of time', async () => {
  const found = await queried(
    'fields @timestamp, message, error.name | filter correlationId = "a" | sort @timestamp asc',
  );
  expect(found).toMatchObject([{ message: 'applied' }, { message: 'duplicate', 'error.name': 'Busy' }]);
  expect(found[0]?.['@timestamp']).toMatch(/^2026-01-05 00:00:\d\d\.\d{3}$/);
});

test.each([
  ['filter correlationId in ["b", "c"]', 1],
  ['filter correlationId = "a" and message != "applied"', 1],
  ['filter ispresent(attempt)', 1],
  ['filter attempt = 1', 1],
  ['fields @message | limit 3', 3],
])('a query has conditions and limits: %s', async (query, count) => expect(await queried(query)).toHaveLength(count));

test('a query without an order gives the newest lines first, and a limit of the request counts too', async () => {
  expect(await queried('fields @message', { limit: 1 })).toEqual([{ '@message': 'plain words' }]);
});

test('a query that has no model or no meaning is refused by name', async () => {
  await expect(queried('stats count(*)')).rejects.toThrow('stats count(*)');
  await expect(queried('limit 0')).rejects.toThrow(MalformedQueryException);
});
