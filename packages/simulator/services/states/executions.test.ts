import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { FixedFaults } from '../../engine/faults.js';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource, TABLE } from '../../support/clouds.js';
import { createMachine, execute, MACHINE, machineResource } from '../../support/machines.js';

const END = { End: true };
const REST = { Rest: { Type: 'Wait', Seconds: 100, ...END } };
const DONE = { Done: { Type: 'Succeed' } };

test('"StartExecution": the name of a Standard execution is its idempotency key', async () => {
  const cloud = createCloud(machineResource(REST));
  const { machines, world } = cloud;
  const one = machines.start(MACHINE, { name: 'one', input: '{"a":1}' });
  expect(machines.start(MACHINE, { name: 'one', input: '{"a":1}' })).toBe(one);
  expect(() => machines.start(MACHINE, { name: 'one', input: '{"a":2}' })).toThrow('Execution Already Exists');
  await world.settle();
  expect(() => machines.start(MACHINE, { name: 'one', input: '{"a":1}' })).toThrow('Execution Already Exists');
  await world.pass(90 * 86_400_000);
  expect(machines.start(MACHINE, { name: 'one', input: '{"a":1}' })).not.toBe(one);
  expect(() => machines.start(MACHINE, { name: 'a b' })).toThrow('Invalid Name');
  expect(() => machines.start(MACHINE, { input: '{' })).toThrow('Invalid State Machine Execution Input');
});

test('executions of an Express workflow may share a name, and end after five minutes', async () => {
  const { machines, world } = createCloud(
    machineResource({ Rest: { Type: 'Wait', Seconds: 1_000, ...END } }, [], { type: 'EXPRESS' }),
  );
  const both = [machines.start(MACHINE, { name: 'one' }), machines.start(MACHINE, { name: 'one' })];
  await world.settle();
  expect(both.map(({ status }) => status)).toEqual(['TIMED_OUT', 'TIMED_OUT']);
  expect(new Set(both.map(({ arn }) => arn)).size).toBe(2);
});

test.each<[operation: string, type: string, body: object]>([
  ['StartExecution', 'STANDARD', { executionArn: expect.stringContaining(':execution:order:') }],
  ['StartSyncExecution', 'EXPRESS', { status: 'SUCCEEDED', output: '{"a":1}' }],
  ['StartSyncExecution', 'STANDARD', { __type: 'StateMachineTypeNotSupported' }],
])('a function calls %s of a workflow that is %s', async (operation, type, body) => {
  const code = `${CLIENT}
exports.handler = async (input) => (await call('AWSStepFunctions.${operation}', input)).body;`;
  const ask = async (actions: readonly string[]) => {
    const resources = functionResource('Work', [allowStatement([...actions, 'none:None'], { Ref: 'Machine' })]);
    const cloud = createCloud({ ...machineResource(DONE, [], { type }), ...resources }, { Work: code });
    let answer: unknown;
    cloud.fn('Shop/Work').invoke({ stateMachineArn: MACHINE, input: '{"a":1}' }, (result) => {
      answer = result.kind === 'returned' ? result.value : result;
    });
    await cloud.world.settle();
    return answer;
  };
  expect(await ask([`states:${operation}`])).toMatchObject(body);
  expect(await ask([])).toMatchObject({
    message: expect.stringContaining(`states:${operation} on resource: ${MACHINE}`),
  });
});

const ruleWith = (more: { readonly [member: string]: Json }) => ({
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventPattern: { source: ['shop'] },
      Targets: [{ Id: 'T', Arn: { Ref: 'Machine' }, RoleArn: arnOf('RuleRole'), ...more }],
    },
  },
});

test.each<[member: { readonly [member: string]: Json }, input: Json]>([
  [{}, expect.objectContaining({ source: 'shop', detail: { sku: 'lamp' } }) as Json],
  [{ InputPath: '$.detail' }, { sku: 'lamp' }],
  [{ Input: '{"fixed":true}' }, { fixed: true }],
])('a rule with %j starts an execution with the rights of its role', async (member, input) => {
  const play = async (actions: readonly string[]) => {
    const role = functionResource('Rule', [allowStatement([...actions, 'none:None'], { Ref: 'Machine' })]);
    const { RuleRole, RulePolicy } = role as unknown as Record<string, { Type: string }>;
    const cloud = createCloud({ ...machineResource(DONE), ...ruleWith(member), RuleRole, RulePolicy } as never);
    cloud.events.put('default', { source: 'shop', detailType: 'Sold', detail: { sku: 'lamp' } });
    await cloud.world.settle();
    return cloud.machines.executions.map((execution) => JSON.parse(execution.input));
  };
  expect(await play(['states:StartExecution'])).toEqual([input]);
  expect(await play([])).toEqual([]);
});

/** Charges, then books; what can't be booked is refunded. The retriers are those that the CDK writes for each function. */
const RETRY = [
  {
    ErrorEquals: [
      'Lambda.ClientExecutionTimeoutException',
      'Lambda.ServiceException',
      'Lambda.AWSLambdaException',
      'Lambda.SdkClientException',
    ],
    IntervalSeconds: 2,
    MaxAttempts: 6,
    BackoffRate: 2,
  },
];
const step = (name: string, more: { readonly [field: string]: Json }): Json => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Parameters: { FunctionName: `Shop-${name}`, 'Payload.$': '$' },
  ResultPath: null,
  Retry: RETRY,
  ...more,
});
const SAGA = {
  Charge: step('Charge', {
    Next: 'Book',
    Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.problem', Next: 'Refund' }],
  }),
  Book: step('Book', { ...END, Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.problem', Next: 'Refund' }] }),
  Refund: step('Refund', { Next: 'Undone' }),
  Undone: { Type: 'Fail', Error: 'Undone' },
};
const write = (item: string): string => `${CLIENT}
exports.handler = async ({ id }) => {
  const { status } = await call('DynamoDB_20120810.PutItem', { TableName: 'Shop-Ledger', Item: { pk: { S: '${item} ' + id } } });
  if (status !== 200) throw new Error('unavailable');
};`;

/** Plays the saga with one fault. @returns its end, and the entries of the ledger */
async function playSaga(faults: FixedFaults) {
  const names = ['Charge', 'Book', 'Refund'] as const;
  const functions = names.map((name) =>
    functionResource(name, [allowStatement(['dynamodb:PutItem'], arnOf('Ledger'))]),
  );
  const code = Object.fromEntries(names.map((name) => [name, write(name)]));
  const cloud = createMachine(SAGA, Object.assign({ Ledger: TABLE }, ...functions), code, { faults });
  const { status } = await execute(cloud, { id: 1 });
  return {
    status,
    ledger: cloud
      .listItems('Shop/Ledger')
      .map(({ pk }) => String(pk).replace(' 1', ''))
      .sort(),
  };
}

test('a saga is booked, or it is undone, whatever single fault happens to it', async () => {
  const plan = new FixedFaults([]);
  expect(await playSaga(plan)).toEqual({ status: 'SUCCEEDED', ledger: ['Book', 'Charge'] });
  const singles = plan.points.flatMap(({ id, kinds }) => kinds.map((kind) => ({ point: id, kind })));
  const ofTasks = singles.filter(({ point }) => point.startsWith('Shop/Machine call'));
  expect(ofTasks).toEqual([
    { point: 'Shop/Machine call 1', kind: 'refused' },
    { point: 'Shop/Machine call 1', kind: 'answer-lost' },
    { point: 'Shop/Machine call 2', kind: 'refused' },
    { point: 'Shop/Machine call 2', kind: 'answer-lost' },
  ]);
  const ends = new Set<string>();
  for (const fault of singles) {
    const { status, ledger } = await playSaga(new FixedFaults([fault]));
    ends.add(status);
    const isBooked = status === 'SUCCEEDED' && ledger.join() === 'Book,Charge';
    const isUndone = status === 'FAILED' && ledger.includes('Refund');
    expect(isBooked || isUndone, `${fault.point} ${fault.kind}: ${status} ${ledger.join()}`).toBe(true);
  }
  expect([...ends].sort()).toEqual(['FAILED', 'SUCCEEDED']);
});

test('without its retriers, a lost answer undoes a saga that was charged', async () => {
  const { Charge, Book, ...rest } = SAGA;
  const { Retry: _, ...once } = Charge as { readonly [field: string]: Json };
  const plan = new FixedFaults([{ point: 'Shop/Machine call 1', kind: 'answer-lost' }]);
  const functions = ['Charge', 'Book', 'Refund'].map((name) => functionResource(name));
  const cloud = createMachine({ Charge: once, Book, ...rest }, Object.assign({}, ...functions), {}, { faults: plan });
  expect(await execute(cloud, { id: 1 })).toMatchObject({ status: 'FAILED', outcome: { error: 'Undone' } });
});

test('"Execution guarantees": an asynchronous Express workflow may run twice, a synchronous and a Standard one may not', async () => {
  const point = { point: 'Shop/Machine execution 1', kind: 'delivered-twice' } as const;
  const play = async (type: string, isSync: boolean) => {
    const cloud = createCloud(machineResource(DONE, [], { type }), {}, { faults: new FixedFaults([point]) });
    cloud.machines.start(MACHINE, { isSync });
    await cloud.world.settle();
    return cloud.machines.executions.map(({ status }) => status);
  };
  expect(await play('EXPRESS', false)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect(await play('EXPRESS', true)).toEqual(['SUCCEEDED']);
  expect(await play('STANDARD', false)).toEqual(['SUCCEEDED']);
});

test('an Express execution that a scenario loses never begins', async () => {
  const faults = new FixedFaults([{ point: 'Shop/Machine execution 1', kind: 'lost' }]);
  const cloud = createCloud(machineResource(DONE, [], { type: 'EXPRESS' }), {}, { faults, losses: true });
  cloud.machines.start(MACHINE, {});
  await cloud.world.settle();
  expect(cloud.machines.executions.map(({ status, events }) => [status, events])).toEqual([['RUNNING', []]]);
});

test('one seed is one history', async () => {
  const jitter = [{ ErrorEquals: ['States.ALL'], JitterStrategy: 'FULL', MaxAttempts: 3 }];
  const states = { Work: { Type: 'Task', Resource: 'arn:aws:lambda:x:1:function:Shop-Work', Retry: jitter, ...END } };
  const play = async (seed: string) => {
    const cloud = createMachine(
      states,
      functionResource('Work'),
      { Work: 'exports.handler = async () => { throw new Error(); };' },
      { seed },
    );
    await execute(cloud);
    return cloud.world.trace.lines.join('\n');
  };
  expect(await play('1')).toBe(await play('1'));
  expect(await play('1')).not.toBe(await play('2'));
});
