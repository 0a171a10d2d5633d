import { expect, test } from 'vitest';
import { FixedFaults } from '../../engine/faults.js';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource, TABLE } from '../../support/clouds.js';

/** A table that contains due times, and a scheduled function that removes the due items. */
const TICK = `exports.handler = async (event) => {
  console.log(JSON.stringify(event));
  const { body } = await call('DynamoDB_20120810.Scan', { TableName: 'Shop-Table' });
  for (const { pk } of body.Items) {
    if (Number(pk.S) <= Date.now()) await call('DynamoDB_20120810.DeleteItem', { TableName: 'Shop-Table', Key: { pk } });
  }
};`;
const LEAVE = "exports.handler = (Item) => call('DynamoDB_20120810.PutItem', { TableName: 'Shop-Table', Item });";

function shop({ expression = 'rate(1 minute)', permitted = true, fault = '', code = TICK } = {}) {
  const [point = '', kind = ''] = fault.split(': ');
  const cloud = createCloud(
    {
      Table: TABLE,
      ...functionResource('Tick', [
        allowStatement(['dynamodb:Scan', 'dynamodb:DeleteItem', 'dynamodb:PutItem'], arnOf('Table')),
      ]),
      ...functionResource('Leave', [allowStatement(['dynamodb:PutItem'], arnOf('Table'))]),
      Rule: {
        Type: 'AWS::Events::Rule',
        Properties: { ScheduleExpression: expression, Targets: [{ Id: 'T', Arn: arnOf('Tick') }] },
      },
      ...(permitted && {
        Permission: {
          Type: 'AWS::Lambda::Permission',
          Properties: {
            Action: 'lambda:InvokeFunction',
            FunctionName: arnOf('Tick'),
            Principal: 'events.amazonaws.com',
            SourceArn: arnOf('Rule'),
          },
        },
      }),
    },
    { Tick: CLIENT + code, Leave: CLIENT + LEAVE },
    { faults: new FixedFaults(fault === '' ? [] : [{ point, kind: kind as 'delivered-twice' }]) },
  );
  const items = () => cloud.dynamodb.items('Shop-Table').map(({ pk }) => Number((pk as { S: string }).S));
  return {
    cloud,
    world: cloud.world,
    ticks: () => cloud.log.length,
    leave: (due: number) => cloud.fn('Shop/Leave').invoke({ pk: { S: String(due) } }, () => undefined),
    /** Returns the due times in the table. */
    name: () => {
      cloud.events.schedules.nextWorkAt = () => (items().length > 0 ? Math.min(...items()) : undefined);
    },
  };
}
const MINUTE = 60_000;
const DAY = 86_400_000;

test('a rule ticks each minute, and the end of a history does not wait for it', async () => {
  const { cloud, world, ticks } = shop();
  await world.settle();
  expect(ticks()).toBe(0);
  await world.pass(10 * MINUTE);
  await world.settle();
  expect(ticks()).toBe(10);
  const { time, ...event } = JSON.parse(cloud.log[0]?.text ?? '');
  expect(event).toMatchObject({ source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} });
  expect(event.resources).toEqual([expect.stringContaining(':rule/')]);
  expect(Date.parse(time)).toBeLessThan(Date.UTC(2026, 0, 5) + MINUTE);
});

test('a rule ticks at the pace of its expression', async () => {
  const { world, ticks } = shop({ expression: 'rate(2 hours)' });
  await world.pass(DAY);
  expect(ticks()).toBe(12);
});

test.each([
  'cron(0 12 * *)',
  'cron(0 12 ? * MON#1 *)',
  'rate(1 minutes)',
  'rate(5 minute)',
  'rate(0 minutes)',
  'rate(30 seconds)',
])('%s is refused by name', (expression) => {
  expect(() => shop({ expression })).toThrow(`Shop/Rule): the schedule ${expression} isn't modelled`);
});

test('a cron ticks at its minutes of UTC, each within the minute', async () => {
  const { cloud, world, ticks } = shop({ expression: 'cron(0 2,14 ? * MON-FRI *)' });
  // From Monday, 5 January 2026, on.
  await world.pass(8 * DAY);
  expect(ticks()).toBe(12);
  const hours = cloud.log.map(({ text }) => new Date((JSON.parse(text) as { time: string }).time).getUTCHours());
  expect(new Set(hours)).toEqual(new Set([2, 14]));
});

test('a cron whose years are over never ticks', async () => {
  const { world, ticks } = shop({ expression: 'cron(0 2 * * ? 2025)' });
  await world.pass(2 * DAY);
  expect(ticks()).toBe(0);
});

test('a rule without the right to call its function does not call it, and the trace says so', async () => {
  const { world, ticks } = shop({ permitted: false });
  await world.pass(2 * MINUTE);
  expect(ticks()).toBe(0);
  expect(world.trace.lines.some((line) => line.includes('Shop/Rule delivery 1 given up and LOST'))).toBe(true);
});

test('a tick is a point at which faults are made', async () => {
  const { world, ticks } = shop({ fault: 'Shop/Rule delivery 1: delivered-twice' });
  await world.pass(3 * MINUTE);
  expect(ticks()).toBe(4);
});

test('only ticks that find something come where moments are named, and the end waits for them', async () => {
  const { world, ticks, leave, name } = shop();
  name();
  const begun = world.now;
  leave(begun + 35 * DAY);
  await world.settle();
  expect(ticks()).toBe(1);
  expect(world.now - begun).toBeGreaterThanOrEqual(35 * DAY);
  expect(world.now - begun).toBeLessThan(35 * DAY + 3 * MINUTE);
  // Most of these events are the hourly TTL deletions.
  expect(world.events).toBeLessThan(35 * 24 + 60);
  await world.pass(DAY);
  expect(ticks()).toBe(1);
});

test('a moment that was named earlier gives way to one that comes before it', async () => {
  const { world, ticks, leave, name } = shop();
  name();
  const begun = world.now;
  leave(begun + DAY);
  await world.pass(5 * MINUTE);
  leave(begun + 10 * MINUTE);
  await world.pass(7 * MINUTE);
  expect(ticks()).toBe(1);
  await world.settle();
  expect(ticks()).toBe(2);
});

test('a wait of days has few ticks that find nothing, and afterwards each tick comes', async () => {
  const { world, ticks } = shop();
  world.after(3 * DAY + 30 * MINUTE, () => undefined);
  await world.settle();
  const few = ticks();
  expect(few).toBe(60 + 3 * 24);
  await world.pass(10 * MINUTE);
  expect(ticks()).toBe(few + 10);
});

test('a history whose ticks await one another for ever ends within 300 ticks, with the name of the rule', async () => {
  const code = `exports.handler = async () => {
    console.log(1);
    await call('DynamoDB_20120810.PutItem', { TableName: 'Shop-Table', Item: { pk: { S: String(Date.now() + 86400000) } } });
  };`;
  const { cloud, world, leave } = shop({ code });
  const latest = () => Math.max(...cloud.dynamodb.items('Shop-Table').map(({ pk }) => Number((pk as { S: string }).S)));
  cloud.events.schedules.nextWorkAt = latest;
  leave(world.now + DAY);
  await expect(world.settle()).rejects.toThrow(
    /^after 1\d\d days there is still something to do; still awaited: Shop\/Rule: a tick that was said to find work now; schedules that ticked meanwhile: Shop\/Rule \(\d\d\d times\)/,
  );
});

test('work that stays due is tried each minute for two days, and then the history ends', async () => {
  const { world, ticks, leave, name } = shop({ code: 'exports.handler = async () => console.log(1);' });
  name();
  leave(world.now);
  await world.pass(10 * MINUTE);
  expect(ticks()).toBeGreaterThanOrEqual(9);
  await world.settle();
  expect(ticks()).toBeLessThanOrEqual(2 * 24 * 60 + 1);
  expect(ticks()).toBeGreaterThanOrEqual(2 * 24 * 60 - 1);
});
