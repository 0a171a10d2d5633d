import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { createCloud, functionResource } from '../../support/clouds.js';
import { createMachine, execute, MACHINE, machineResource } from '../../support/machines.js';

type States = { readonly [name: string]: Json };

const END = { End: true };
const WORK = 'arn:aws:lambda:eu-west-1:123456789012:function:Shop-Work';
const INVOKE = 'arn:aws:states:::lambda:invoke';
const task = (more: { readonly [field: string]: Json } = {}): Json => ({
  Type: 'Task',
  Resource: WORK,
  ...('Next' in more ? {} : END),
  ...more,
});

/** Runs states with one function. @returns the execution, and the function's calls */
async function play(states: States, code = 'exports.handler = async (event) => event;', input: Json = {}) {
  const cloud = createMachine(states, functionResource('Work'), { Work: code });
  const execution = await execute(cloud, input);
  return { cloud, execution, outcome: execution.outcome, took: (execution.ended ?? 0) - execution.began };
}

test('states run one after the other, each with the input that its fields give it', async () => {
  const { outcome, execution } = await play(
    {
      Made: { Type: 'Pass', Result: { price: 3 }, ResultPath: '$.item', Next: 'Charge' },
      Charge: {
        Type: 'Task',
        Resource: INVOKE,
        Parameters: { FunctionName: WORK, Payload: { 'amount.$': '$.item.price', 'by.$': '$$.Execution.Name' } },
        ResultSelector: { 'charged.$': '$.Payload.amount' },
        ResultPath: '$.payment',
        OutputPath: '$.payment',
        Next: 'Done',
      },
      Done: { Type: 'Succeed' },
    },
    undefined,
    { order: 1 },
  );
  expect(outcome).toEqual({ output: { charged: 3 } });
  expect(execution.events.map(({ type }) => type)).toEqual([
    'ExecutionStarted',
    'PassStateEntered',
    'PassStateExited',
    'TaskStateEntered',
    'TaskStateExited',
    'SucceedStateEntered',
    'SucceedStateExited',
    'ExecutionSucceeded',
  ]);
});

test('a Wait of 30 days is one event, and one until a time ends then', async () => {
  const { cloud, took } = await play(
    {
      Long: { Type: 'Wait', Seconds: 30 * 86_400, Next: 'Until' },
      Until: { Type: 'Wait', TimestampPath: '$.at', ...END },
    },
    undefined,
    { at: '2026-03-01T00:00:00Z' },
  );
  expect(took).toBe(Date.UTC(2026, 2, 1) - Date.UTC(2026, 0, 5));
  expect(cloud.world.events).toBeLessThan(5_000);
});

test('a Choice goes where the first rule says, to its Default, or fails', async () => {
  const choices = {
    Which: { Type: 'Choice', Choices: [{ Variable: '$.n', NumericGreaterThan: 1, Next: 'Many' }], Default: 'Few' },
    Many: { Type: 'Fail', Error: 'TooMany', CausePath: "States.Format('{} are too many', $.n)" },
    Few: { Type: 'Succeed' },
  };
  expect((await play(choices, undefined, { n: 2 })).outcome).toEqual({ error: 'TooMany', cause: '2 are too many' });
  expect((await play(choices, undefined, { n: 1 })).outcome).toEqual({ output: { n: 1 } });
  const without = { ...choices, Which: { Type: 'Choice', Choices: choices.Which.Choices } };
  expect((await play(without, undefined, { n: 1 })).outcome).toMatchObject({ error: 'States.Runtime' });
});

const FAILING = `exports.handler = async ({ fails }) => {
  globalThis.tries = (globalThis.tries ?? 0) + 1;
  if (globalThis.tries <= fails) throw Object.assign(new Error('out of stock'), { name: 'StockError' });
  return globalThis.tries;
};`;

test('"Retrying after an error": waits grow by the rate, up to the longest', async () => {
  const Retry = [
    { ErrorEquals: ['StockError'], IntervalSeconds: 3, BackoffRate: 2, MaxAttempts: 4, MaxDelaySeconds: 10 },
  ];
  const { outcome, took } = await play({ Work: task({ Retry }) }, FAILING, { fails: 4 });
  expect(outcome).toEqual({ output: 5 });
  // 3 s, 6 s, 10 s and 10 s, and what the calls take.
  expect(took).toBeGreaterThanOrEqual(29_000);
  expect(took).toBeLessThan(31_000);
});

test('after the last attempt, the first catcher that matches gets the error', async () => {
  const { outcome } = await play(
    {
      Work: task({
        Retry: [{ ErrorEquals: ['States.TaskFailed'], MaxAttempts: 1 }],
        Catch: [
          { ErrorEquals: ['Other'], Next: 'Undo' },
          { ErrorEquals: ['States.ALL'], ResultPath: '$.problem', Next: 'Undo' },
        ],
      }),
      Undo: { Type: 'Succeed' },
    },
    FAILING,
    { fails: 2 },
  );
  expect(outcome).toMatchObject({ output: { fails: 2, problem: { Error: 'StockError' } } });
  const cause = (outcome as { output: { problem: { Cause: string } } }).output.problem.Cause;
  expect(JSON.parse(cause)).toMatchObject({ errorMessage: 'out of stock', errorType: 'StockError' });
});

test('"Error names": States.ALL catches no States.Runtime, States.TaskFailed no States.Timeout', async () => {
  const caught = (name: string) => ({ Catch: [{ ErrorEquals: [name], Next: 'Undo' }] });
  const undo = { Undo: { Type: 'Pass', Result: 'undone', ...END } };
  const broken = { Work: task({ OutputPath: '$.nothing', ...caught('States.ALL') }), ...undo };
  expect((await play(broken)).outcome).toMatchObject({ error: 'States.Runtime' });
  const slow = 'exports.handler = () => new Promise((done) => setTimeout(done, 5000));';
  const late = (name: string) => ({ Work: task({ TimeoutSeconds: 2, ...caught(name) }), ...undo });
  expect((await play(late('States.TaskFailed'), slow)).outcome).toMatchObject({ error: 'States.Timeout' });
  expect((await play(late('States.Timeout'), slow)).outcome).toEqual({ output: 'undone' });
});

test("a path to a timeout leads into the state's input, not into what the task gets", async () => {
  const slow = 'exports.handler = () => new Promise((done) => setTimeout(done, 5000));';
  const work = task({ InputPath: '$.a', TimeoutSecondsPath: '$.most', Parameters: { 'n.$': '$.n' } });
  const { outcome } = await play({ Work: work }, slow, { a: { most: 2, n: 1 } });
  expect(outcome).toEqual({ error: 'States.Timeout', cause: 'after 2 s' });
  for (const most of [1.5, '1.5', null, 0])
    expect((await play({ Work: work }, slow, { a: { most, n: 1 } })).outcome).toMatchObject({
      error: 'States.Runtime',
    });
});

test('"Parallel State": the outputs are a list, and the first failure ends the other branches', async () => {
  const branch = (state: Json): Json => ({ StartAt: 'Only', States: { Only: state } });
  const pass = branch({ Type: 'Pass', Result: 1, ...END });
  const wait = branch({ Type: 'Wait', Seconds: 1_000_000, ...END });
  const fail = branch({ Type: 'Fail', Error: 'No' });
  const both = (Branches: Json): States => ({ Both: { Type: 'Parallel', Branches, ...END } });
  expect((await play(both([pass, branch({ Type: 'Succeed' })]), undefined, 'x')).outcome).toEqual({ output: [1, 'x'] });
  const { outcome, cloud } = await play(both([wait, fail]));
  expect(outcome).toEqual({ error: 'No', cause: '' });
  // Nobody waits for what the other branch had planned.
  expect(cloud.world.now - cloud.world.begins).toBeLessThan(1_000);
});

test('a branch that was given up calls nothing, although the execution continues', async () => {
  const late = {
    StartAt: 'Rest',
    States: { Rest: { Type: 'Wait', Seconds: 10, Next: 'Work' }, Work: task() },
  };
  const fail = { StartAt: 'No', States: { No: { Type: 'Fail', Error: 'No' } } };
  const { cloud, outcome } = await play({
    Both: { Type: 'Parallel', Branches: [late, fail], Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Later' }], ...END },
    Later: { Type: 'Wait', Seconds: 100, ...END },
  });
  expect(outcome).toMatchObject({ output: { Error: 'No' } });
  expect(cloud.fn('Shop/Work').invocations).toBe(0);
});

test('"Map State": each item is processed, so many at once, and the outputs keep their order', async () => {
  const map = {
    Each: {
      Type: 'Map',
      ItemsPath: '$.items',
      ItemSelector: { 'item.$': '$$.Map.Item.Value', 'at.$': '$$.Map.Item.Index', 'shop.$': '$.shop' },
      MaxConcurrency: 1,
      ItemProcessor: {
        StartAt: 'Rest',
        States: { Rest: { Type: 'Wait', Seconds: 10, OutputPath: '$', ...END } },
      },
      ...END,
    },
  };
  const { outcome, took } = await play(map, undefined, { items: ['a', 'b'], shop: 's' });
  expect(outcome).toEqual({
    output: [
      { item: 'a', at: 0, shop: 's' },
      { item: 'b', at: 1, shop: 's' },
    ],
  });
  expect(took).toBeGreaterThanOrEqual(20_000);
  expect((await play(map, undefined, { items: [], shop: 's' })).outcome).toEqual({ output: [] });
  expect((await play(map, undefined, { items: 1, shop: 's' })).outcome).toMatchObject({ error: 'States.Runtime' });
});

test('an execution that takes longer than TimeoutSeconds is timed out', async () => {
  const cloud = createCloud(
    machineResource({ Rest: { Type: 'Wait', Seconds: 100, ...END } }, [], { TimeoutSeconds: 5 }),
  );
  expect(await execute(cloud)).toMatchObject({ status: 'TIMED_OUT', outcome: { error: 'States.Timeout' } });
});

test('a value above 256 KiB is States.DataLimitExceeded, which States.ALL does not catch', async () => {
  const work = task({ Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Undo' }] });
  const { outcome } = await play(
    { Work: work, Undo: { Type: 'Succeed' } },
    "exports.handler = async () => 'x'.repeat(262144);",
  );
  expect(outcome).toMatchObject({ error: 'States.DataLimitExceeded' });
});

test('a role without the right to invoke gets States.Permissions', async () => {
  const cloud = createCloud({ ...machineResource({ Work: task() }), ...functionResource('Work') });
  expect((await execute(cloud)).outcome).toMatchObject({ error: 'States.Permissions' });
});

test.each<[what: string, states: States, more?: { readonly [field: string]: Json }]>([
  [
    "state 'Work': the resource arn:aws:states:::glue:startJobRun",
    { Work: task({ Resource: 'arn:aws:states:::glue:startJobRun' }) },
  ],
  [
    "state 'Work': there is no function arn:aws:lambda:x:1:function:Gone",
    { Work: task({ Resource: 'arn:aws:lambda:x:1:function:Gone' }) },
  ],
  ["state 'Work': Credentials", { Work: task({ Credentials: {} }) }],
  ["state 'Work': neither Next nor End", { Work: task({ End: false }) }],
  ["the definition: there is no state 'Gone'", { Work: task({ Next: 'Gone' }) }],
  [
    "the processor of state 'Each': a distributed Map",
    { Each: { Type: 'Map', ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED' } }, ...END } },
  ],
])('what is not modelled is an obstacle at load: %s', (what, states, more = {}) => {
  const resources = { ...machineResource(states, [], more), ...functionResource('Work') };
  expect(() => createCloud(resources)).toThrow(`AWS::StepFunctions::StateMachine (Shop/Machine): ${what}`);
});

// The Serverless Application Model names them as in `reminderLambda#LambdaFunction`.
test.each(['word', 'reminderLambda#LambdaFunction', 'a name'])(
  'a definition may be an object or a file, with substitutions: %s',
  async (name) => {
    const { Machine, ...rest } = machineResource({});
    const { DefinitionString: _, ...properties } = Machine.Properties;
    const Definition = {
      StartAt: 'A',
      States: { A: { Type: 'Pass', Result: '$'.concat(`{${name}}, $`, '{other}'), End: true } },
    };
    const Properties = { ...properties, Definition, DefinitionSubstitutions: { [name]: 'hello' } };
    const cloud = createCloud({ ...rest, Machine: { ...Machine, Properties } });
    expect((await execute(cloud)).outcome).toEqual({ output: 'hello, $'.concat('{other}') });
    expect(cloud.machines.has(MACHINE)).toBe(true);
  },
);
