import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { FixedFaults } from '../../engine/faults.js';
import { createCloud, functionResource } from '../../support/clouds.js';
import { createMachine, execute, machineResource } from '../../support/machines.js';
import { statesApi } from './api.js';

type States = { readonly [name: string]: Json };

const END = { End: true };
const JSONATA = { QueryLanguage: 'JSONata' };
const WORK = 'arn:aws:lambda:eu-west-1:123456789012:function:Shop-Work';
const INVOKE = 'arn:aws:states:::lambda:invoke';
const task = (more: States = {}): Json => ({ Type: 'Task', Resource: WORK, ...('Next' in more ? {} : END), ...more });

/** Runs states in JSONata with one function. */
async function play(
  states: States,
  { code = 'exports.handler = async (event) => event;', input = {} as Json, type = 'STANDARD' } = {},
) {
  const resources = { ...machineResource(states, ['*'], { ...JSONATA, type }), ...functionResource('Work') };
  const cloud = createCloud(resources, { Work: code });
  const execution = await execute(cloud, input);
  const { outcome, events } = execution;
  return { cloud, execution, outcome, events, took: (execution.ended ?? 0) - execution.began };
}

test('"Using Arguments and Output": a task gets its arguments, and its result gets its form', async () => {
  const states = {
    Charge: {
      Type: 'Task',
      Resource: INVOKE,
      Arguments: { FunctionName: WORK, Payload: { amount: '{% $states.input.price * 2 %}', 'by.$': '$' } },
      Assign: { charged: '{% $states.result.Payload.amount %}' },
      Output: { input: '{% $states.input %}', status: '{% $states.result.StatusCode %}' },
      Next: 'Whole',
    },
    Whole: task({ Arguments: '{% {"sum": $charged + $states.input.input.price} %}', Next: 'Named' }),
    Named: task({
      Resource: INVOKE,
      Arguments: { FunctionName: `{% '${WORK}' %}`, Payload: '{% $states.input %}' },
      Output: '{% $states.result.Payload %}',
      Next: 'Chosen',
    }),
    Chosen: task({
      Resource: INVOKE,
      Arguments: `{% {'FunctionName': '${WORK}', 'Payload': $states.input} %}`,
      Output: '{% $states.result.Payload %}',
      Next: 'Same',
    }),
    Same: task({ Next: 'Done' }),
    Done: { Type: 'Succeed', Output: '{% [$states.input.sum, $charged] %}' },
  };
  const { outcome, events } = await play(states, { input: { price: 3 } });
  expect(outcome).toEqual({ output: [9, 6] });
  const exit = events.find(({ type }) => type === 'TaskStateExited');
  expect(exit?.details).toEqual({
    name: 'Charge',
    output: '{"input":{"price":3},"status":200}',
    assignedVariables: { charged: '6' },
  });
});

test('"Defaults": without Output, the output is the result of a state that has one, and the input of any other', async () => {
  const one = { StartAt: 'One', States: { One: { Type: 'Pass', ...END } } };
  const states = {
    Task: task({ Arguments: { n: 1 }, Next: 'Both' }),
    Both: { Type: 'Parallel', Branches: [one], Next: 'Each' },
    Each: { Type: 'Map', ItemProcessor: one, Next: 'Pass' },
    Pass: { Type: 'Pass', Next: 'Rest' },
    Rest: { Type: 'Wait', Seconds: 1, Next: 'Which' },
    Which: { Type: 'Choice', Choices: [{ Condition: true, Next: 'Done' }] },
    Done: { Type: 'Succeed' },
  };
  expect((await play(states)).outcome).toEqual({ output: [{ n: 1 }] });
});

/** "JSONata Choice Rules": the specification's example. */
const DISPATCH = {
  DispatchEvent: {
    Type: 'Choice',
    Choices: [
      { Condition: "{% $states.input.type != 'Private' %}", Next: 'Public' },
      {
        Condition:
          "{% $exists($states.input.value) and $type($states.input.value)='number' and $states.input.value>=20 and $states.input.value<30 %}",
        Assign: { range: 'twenties' },
        Next: 'ValueInTwenties',
      },
      {
        Condition: '{% $states.input.rating >= $states.input.auditThreshold %}',
        Output: { excess: '{% $states.input.rating - $states.input.auditThreshold %}' },
        Next: 'StartAudit',
      },
    ],
    Default: 'RecordEvent',
    Assign: { range: 'default' },
    Output: 'of the default',
  },
  Public: { Type: 'Succeed', Output: 'public' },
  ValueInTwenties: { Type: 'Succeed', Output: ['{% $range %}', '{% $states.input.value %}'] },
  StartAudit: { Type: 'Succeed', Output: ['{% $states.input %}', "{% $type($range) = 'function' %}"] },
  RecordEvent: { Type: 'Succeed', Output: ['{% $range %}', '{% $states.input %}'] },
};
test.each<[input: Json, output: Json]>([
  [{ type: 'Other' }, 'public'],
  [{ type: 'Private', value: 23 }, ['twenties', 23]],
  [{ type: 'Private', rating: 5, auditThreshold: 3 }, [{ excess: 2 }, true]],
  [{ type: 'Private', rating: 1, auditThreshold: 3 }, ['default', 'of the default']],
])('"JSONata Choice Rules": %j', async (input, output) =>
  expect((await play(DISPATCH, { input })).outcome).toEqual({ output }),
);

test('a Choice whose condition is no boolean fails, and one without a match has no way out', async () => {
  const choose = (Condition: Json) => ({
    Which: { Type: 'Choice', Choices: [{ Condition, Next: 'Done' }] },
    Done: { Type: 'Succeed' },
  });
  expect((await play(choose('{% 1 %}'))).outcome).toEqual({
    error: 'States.QueryEvaluationError',
    cause:
      "An error occurred while executing the state 'Which' (entered at the event id #2). The JSONata expression '1' specified for the field 'Choices[0]/Condition' returned an unexpected result type. Expected 'boolean', but was 'number' for value: 1",
  });
  expect((await play(choose(false))).outcome).toMatchObject({ error: 'States.Runtime' });
});

test('Wait takes seconds or a time from an expression, and its Output is of its end', async () => {
  const states = {
    Rest: { Type: 'Wait', Seconds: '{% $states.input.seconds %}', Output: '{% $now() %}', Next: 'Until' },
    Until: { Type: 'Wait', Timestamp: '{% $fromMillis($toMillis($states.input) + 60000) %}', ...END },
  };
  const { execution, took } = await play(states, { input: { seconds: 30 } });
  expect(took).toBeGreaterThanOrEqual(90_000);
  expect(took).toBeLessThan(90_300);
  const { output } = execution.outcome as { output: string };
  expect(Date.parse(output) - execution.began).toBeGreaterThanOrEqual(30_000);
});

test('Fail takes its error and its cause from expressions', async () => {
  const fail = { No: { Type: 'Fail', Error: '{% $states.input.Error %}', Cause: "{% 'for ' & $states.input.n %}" } };
  expect((await play(fail, { input: { Error: 'E', n: 1 } })).outcome).toEqual({ error: 'E', cause: 'for 1' });
  expect((await play(fail, { input: { Error: 1, n: 1 } })).outcome).toMatchObject({
    error: 'States.QueryEvaluationError',
  });
});

test('"JSONata Map State": items, what each iteration gets, and how many run at once', async () => {
  const map = {
    Each: {
      Type: 'Map',
      Items: '{% $states.input.items %}',
      MaxConcurrency: '{% $states.input.most %}',
      ItemSelector: {
        item: '{% $states.context.Map.Item.Value %}',
        at: '{% $states.context.Map.Item.Index %}',
        from: '{% $states.context.Map.Item.Source %}',
        shop: '{% $states.input.shop %}',
      },
      ItemProcessor: { StartAt: 'Rest', States: { Rest: { Type: 'Wait', Seconds: 10, ...END } } },
      Output: '{% $states.result.(item & at & from & shop) %}',
      ...END,
    },
  };
  const input = { items: ['a', 'b'], most: 1, shop: 's' };
  const { outcome, took } = await play(map, { input });
  expect(outcome).toEqual({ output: ['a0STATE_DATAs', 'b1STATE_DATAs'] });
  expect(took).toBeGreaterThanOrEqual(20_000);
  expect((await play(map, { input: { ...input, most: 2 } })).took).toBeLessThan(20_000);
  const constant = {
    Each: { ...map.Each, Items: [1, '{% $states.input.shop %}'], Output: '{% $states.result.item %}' },
  };
  expect((await play(constant, { input })).outcome).toEqual({ output: [1, 's'] });
});

test.each<[items: string, got: string]>([
  ["{'foo': 'bar'}", `'object' for value: {"foo":"bar"}`],
  ['null', "'null' for value: null"],
])('"Map State": items must be a list: %s', async (items, got) => {
  const one = { StartAt: 'One', States: { One: { Type: 'Pass', ...END } } };
  const { outcome } = await play({ Each: { Type: 'Map', Items: `{% ${items} %}`, ItemProcessor: one, ...END } });
  expect(outcome).toMatchObject({
    error: 'States.QueryEvaluationError',
    cause: expect.stringContaining(
      `for the field 'Items' returned an unexpected result type. Expected 'array', but was ${got}`,
    ),
  });
});

test('"Map State": without Items, the input must be a list', async () => {
  const one = { StartAt: 'One', States: { One: { Type: 'Pass', ...END } } };
  const each = { Each: { Type: 'Map', ItemProcessor: one, ...END } };
  expect((await play(each, { input: { a: 1 } })).outcome).toMatchObject({ error: 'States.QueryEvaluationError' });
});

test('Parallel gives its arguments to each branch', async () => {
  const branch = { StartAt: 'One', States: { One: { Type: 'Pass', Output: '{% $states.input.n + 1 %}', ...END } } };
  const both = { Type: 'Parallel', Arguments: { n: '{% $states.input * 2 %}' }, Branches: [branch, branch] };
  const states = { Both: { ...both, Output: '{% $sum($states.result) %}', ...END } };
  expect((await play(states, { input: 3 })).outcome).toEqual({ output: 14 });
});

const FAILING = `exports.handler = async () => { throw Object.assign(new Error('out of stock'), { name: 'StockError' }); };`;
test('"JSONata Catchers": the error output is the output, unless the catcher has its own', async () => {
  const caught = async (more: States) => {
    const work = task({
      Retry: [{ ErrorEquals: ['StockError'], MaxAttempts: 1 }],
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Undo', ...more }],
      Assign: { charged: true },
      Output: '{% $states.result.nothing %}',
    });
    const undo = {
      Type: 'Succeed',
      Output: ['{% $states.input %}', '{% $exists($charged) %}', '{% $why ? $why : 0 %}'],
    };
    return (await play({ Work: work, Undo: undo }, { code: FAILING, input: { n: 1 } })).outcome;
  };
  const error = { Error: 'StockError', Cause: expect.stringContaining('out of stock') };
  expect(await caught({})).toEqual({ output: [error, false, 0] });
  const own = {
    Output: "{% $merge([$states.input, {'e': $states.errorOutput.Error}]) %}",
    Assign: { why: '{% $states.errorOutput.Error %}' },
  };
  expect(await caught(own)).toEqual({ output: [{ n: 1, e: 'StockError' }, false, 'StockError'] });
});

test('"JSONata Runtime Errors": States.ALL and its own name catch an expression that fails, and a retrier runs the state again', async () => {
  const work = (more: States): States => ({
    Work: task({ Output: '{% $states.result.nothing %}', ...more }),
    Undo: { Type: 'Succeed', Output: '{% $states.input.Error %}' },
  });
  const { outcome, events, cloud } = await play(
    work({ Retry: [{ ErrorEquals: ['States.QueryEvaluationError'], MaxAttempts: 2 }] }),
  );
  const cause =
    "An error occurred while executing the state 'Work' (entered at the event id #2). The JSONata expression '$states.result.nothing' specified for the field 'Output' returned nothing (undefined).";
  const error = 'States.QueryEvaluationError';
  expect(outcome).toEqual({ error, cause });
  expect(cloud.fn('Shop/Work').invocations).toBe(3);
  const details = { state: 'Work', error, cause, location: 'Output' };
  const failed = events.filter(({ type }) => type === 'EvaluationFailed').map((event) => event.details);
  expect(failed).toEqual([details, details, details]);
  const history = statesApi(cloud).GetExecutionHistory?.({ executionArn: cloud.machines.executions[0]?.arn });
  expect(history).toMatchObject({
    events: expect.arrayContaining([
      expect.objectContaining({ type: 'EvaluationFailed', evaluationFailedEventDetails: details }),
    ]),
  });
  for (const name of ['States.ALL', error, 'States.TaskFailed'])
    expect((await play(work({ Catch: [{ ErrorEquals: [name], Next: 'Undo' }] }))).outcome).toEqual({ output: error });
  // A catcher that fails has no catcher.
  const broken = work({ Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $nothing %}', Next: 'Undo' }] });
  expect((await play(broken)).outcome).toMatchObject({ error, cause: expect.stringContaining("'Catch[0]/Output'") });
  // Arguments fail before a call.
  const early = await play({ Work: task({ Arguments: { a: '{% $nothing %}' } }) });
  expect(early.outcome).toMatchObject({ error, cause: expect.stringContaining("'Arguments/a'") });
  expect(early.cloud.fn('Shop/Work').invocations).toBe(0);
  // An Express workflow has no events, so no ids of them.
  const express = (await play({ A: { Type: 'Pass', Output: '{% $nothing %}', ...END } }, { type: 'EXPRESS' })).outcome;
  expect(express).toMatchObject({
    cause: expect.stringMatching(/^An error occurred while executing the state 'A'\. The/),
  });
});

test('TimeoutSeconds and HeartbeatSeconds may be expressions', async () => {
  const slow = 'exports.handler = () => new Promise((done) => setTimeout(done, 5000));';
  const late = { Work: task({ TimeoutSeconds: '{% $states.input.most %}' }) };
  expect((await play(late, { code: slow, input: { most: 2 } })).outcome).toMatchObject({ error: 'States.Timeout' });
  expect((await play(late, { code: slow, input: { most: 0 } })).outcome).toMatchObject({
    error: 'States.QueryEvaluationError',
    cause: expect.stringContaining('The TimeoutSeconds field must be 1 or more: 0'),
  });
  const token = {
    Type: 'Task',
    Resource: `${INVOKE}.waitForTaskToken`,
    Arguments: { FunctionName: WORK, Payload: '{% $states.context.Task.Token %}' },
    HeartbeatSeconds: '{% $states.input.most %}',
    ...END,
  };
  const { outcome, took } = await play({ Work: token }, { input: { most: 7 } });
  expect(outcome).toMatchObject({ error: 'States.HeartbeatTimeout' });
  expect(took).toBeLessThan(8_000);
});

test('"Query Languages": a JSONPath machine may have states in JSONata, whose parts are in the machine\'s language', async () => {
  const cloud = createMachine({
    Path: { Type: 'Pass', Parameters: { 'total.$': '$.n' }, Next: 'Each' },
    Each: {
      ...JSONATA,
      Type: 'Map',
      Items: ['{% $states.input.total %}', 2],
      ItemProcessor: {
        StartAt: 'Path2',
        States: {
          Path2: { Type: 'Pass', Parameters: { 'n.$': '$' }, Next: 'Ata2' },
          Ata2: { ...JSONATA, Type: 'Pass', Output: '{% $states.input.n + 1 %}', ...END },
        },
      },
      ...END,
    },
  });
  expect((await execute(cloud, { n: 1 })).outcome).toEqual({ output: [2, 3] });
});

test.each<[what: string, states: States, more?: States]>([
  [
    "state 'A': InputPath, ResultPath, OutputPath",
    { A: { Type: 'Pass', InputPath: '$', ResultPath: '$', OutputPath: '$', ...END } },
  ],
  ["state 'A': Result, Parameters", { A: { Type: 'Pass', Result: 1, Parameters: {}, ...END } }],
  ["state 'A': Parameters, ResultSelector", { A: task({ Parameters: {}, ResultSelector: {} }) }],
  ["state 'A': TimeoutSecondsPath", { A: task({ TimeoutSecondsPath: '$.a' }) }],
  ["state 'A': SecondsPath", { A: { Type: 'Wait', SecondsPath: '$.a', ...END } }],
  ["state 'A': ErrorPath", { A: { Type: 'Fail', ErrorPath: '$.a' } }],
  ["state 'A': ItemsPath", { A: { Type: 'Map', ItemsPath: '$', ItemProcessor: {}, ...END } }],
  ["state 'A': Arguments", { A: { Type: 'Pass', Arguments: {}, ...END } }],
  ["state 'A': Output", { A: { Type: 'Fail', Output: 1 } }],
  ["state 'A': Assign", { A: { Type: 'Succeed', Assign: {} } }],
  [
    "state 'A': Choices[0]: Variable, IsNull in JSONata",
    { A: { Type: 'Choice', Choices: [{ Variable: '$', IsNull: true, Next: 'A' }] } },
  ],
  ["state 'A': Choices[0]/Condition is no boolean", { A: { Type: 'Choice', Choices: [{ Next: 'A' }] } }],
  ["state 'A': ResultPath", { A: task({ Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$', Next: 'A' }] }) }],
  ["state 'A': TimeoutSeconds is no number", { A: task({ TimeoutSeconds: '3' }) }],
  [
    "state 'A': Reference to 'phone' at the top level is not supported. at Output/v",
    { A: { Type: 'Pass', Output: { v: '{% phone %}' }, ...END } },
  ],
  [
    "state 'A': 'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine",
    { A: { Type: 'Succeed', QueryLanguage: 'JSONPath' } },
  ],
  ["state 'A': QueryLanguage SQL", { A: { Type: 'Succeed', QueryLanguage: 'SQL' } }],
  ["state 'A': Arguments", { A: task({ Arguments: {} }) }, { QueryLanguage: 'JSONPath' }],
  ["state 'A': Output", { A: { Type: 'Succeed', Output: {} } }, { QueryLanguage: 'JSONPath' }],
  ["state 'A': Items", { A: { Type: 'Map', Items: [], ItemProcessor: {}, ...END } }, { QueryLanguage: 'JSONPath' }],
  [
    "state 'A': a choice rule without Variable",
    { A: { Type: 'Choice', Choices: [{ Condition: true, Next: 'A' }] } },
    { QueryLanguage: 'JSONPath' },
  ],
  [
    "state 'A': Output",
    { A: task({ Catch: [{ ErrorEquals: ['States.ALL'], Output: 1, Next: 'A' }] }) },
    { QueryLanguage: 'JSONPath' },
  ],
  [
    "branch 1 of state 'A': QueryLanguage JSONPath in a part of a machine",
    { A: { Type: 'Parallel', Branches: [{ QueryLanguage: 'JSONPath', StartAt: 'B', States: {} }], ...END } },
  ],
  ['the definition: QueryLanguage SQL', { A: { Type: 'Succeed' } }, { QueryLanguage: 'SQL' }],
  ["state 'A': there is no function Gone", { A: task({ Resource: INVOKE, Arguments: { FunctionName: 'Gone' } }) }],
  [
    "state 'A': the parameter Other",
    { A: task({ Resource: INVOKE, Arguments: { FunctionName: '{% $f %}', Other: '{% 1 %}' } }) },
  ],
])('what AWS refuses or the model does not know is an obstacle at load: %s', (what, states, more = {}) => {
  const resources = { ...machineResource(states, [], { ...JSONATA, ...more }), ...functionResource('Work') };
  expect(() => createCloud(resources)).toThrow(`AWS::StepFunctions::StateMachine (Shop/Machine): ${what}`);
});

test('one seed is one history, with chance and time in it', async () => {
  const states = { A: { Type: 'Pass', Output: '{% [$uuid(), $random(), $now(), $shuffle([1..9])] %}', ...END } };
  const draw = async (seed: string) => {
    const cloud = createCloud(machineResource(states, [], JSONATA), {}, { seed });
    return [(await execute(cloud)).outcome, cloud.world.trace.lines.join('\n')];
  };
  expect(await draw('1')).toEqual(await draw('1'));
  expect(await draw('1')).not.toEqual(await draw('2'));
});

test('a task has the same faults in either language', async () => {
  const plan = new FixedFaults([{ point: 'Shop/Machine call 1', kind: 'answer-lost' }]);
  const retry = { Retry: [{ ErrorEquals: ['Lambda.SdkClientException'], MaxAttempts: 1 }] };
  const states = {
    Work: { ...JSONATA, ...(task({ ...retry, Output: '{% $states.context.State.RetryCount %}' }) as object) },
  };
  const cloud = createMachine(states, functionResource('Work'), {}, { faults: plan });
  expect((await execute(cloud)).outcome).toEqual({ output: 1 });
  expect(cloud.fn('Shop/Work').invocations).toBe(2);
});
