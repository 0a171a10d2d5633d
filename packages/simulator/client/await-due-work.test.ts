import { expect, test } from 'vitest';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource, TABLE } from '../support/clouds.js';
import { awaitDueWork } from './await-due-work.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Does what is due, and, if `again`, leaves work that is due a day later. */
const tick = (again: boolean): string => `${CLIENT}
exports.handler = async () => {
  console.log('tick');
  const TableName = process.env.TABLE;
  const { body } = await call('DynamoDB_20120810.Scan', { TableName });
  for (const { pk } of body.Items) {
    if (Number(pk.S) > Date.now()) continue;
    await call('DynamoDB_20120810.DeleteItem', { TableName, Key: { pk } });
    console.log('done ' + pk.S);
    if (${again}) await call('DynamoDB_20120810.PutItem', { TableName, Item: { pk: { S: String(Number(pk.S) + 86400000) } } });
  }
};`;

function shop(again = false) {
  const rights = ['dynamodb:Scan', 'dynamodb:DeleteItem', 'dynamodb:PutItem'];
  const cloud = createCloud(
    {
      Table: TABLE,
      Other: TABLE,
      ...functionResource('Tick', [allowStatement(rights, arnOf('Table'))], {
        Environment: { Variables: { TABLE: { Ref: 'Table' } } },
      }),
      Rule: {
        Type: 'AWS::Events::Rule',
        Properties: { ScheduleExpression: 'rate(1 minute)', Targets: [{ Id: 'T', Arn: arnOf('Tick') }] },
      },
      Permission: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: arnOf('Tick'),
          Principal: 'events.amazonaws.com',
          SourceArn: arnOf('Rule'),
        },
      },
    },
    { Tick: tick(again) },
  );
  const put = cloud.services.operation({ service: 'dynamodb', operation: 'PutItem' });
  return {
    cloud,
    count: (text: string) => cloud.log.filter((line) => line.text.startsWith(text)).length,
    leave: (due: number, TableName = 'Shop-Table') => void put({ TableName, Item: { pk: { S: String(due) } } }),
  };
}
const nextDue = (items: readonly { readonly pk?: unknown }[]): number | undefined =>
  items.length === 0 ? undefined : Math.min(...items.map(({ pk }) => Number(pk)));

test('work of a day later is done, by a few ticks in place of thousands', async () => {
  const { cloud, count, leave } = shop();
  const due = cloud.world.now + 20 * HOUR;
  leave(due);
  // A table of another function has no work of this schedule.
  leave(due + 5 * HOUR, 'Shop-Other');
  await awaitDueWork(cloud, { nextDue });
  expect(count('done')).toBe(1);
  expect(count('tick')).toBeLessThan(5);
  expect(cloud.world.now).toBeGreaterThanOrEqual(due);
  expect(cloud.world.now).toBeLessThan(due + 2 * MINUTE);
  // Afterwards each tick comes again.
  const ticks = count('tick');
  await cloud.world.pass(10 * MINUTE);
  expect(count('tick')).toBeGreaterThanOrEqual(ticks + 9);
});

test('work that leaves later work is awaited up to a time', async () => {
  const { cloud, count, leave } = shop(true);
  leave(cloud.world.now + HOUR);
  await awaitDueWork(cloud, { nextDue, until: cloud.world.now + 50 * HOUR });
  expect(count('done')).toBe(3);
});
