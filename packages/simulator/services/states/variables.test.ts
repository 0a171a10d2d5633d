import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { createCloud } from '../../support/clouds.js';
import { createMachine, execute, machineResource } from '../../support/machines.js';
import { Variables } from './variables.js';

type States = { readonly [name: string]: Json };

const END = { End: true };
const JSONATA = { QueryLanguage: 'JSONata' };

async function play(states: States, input: Json = {}) {
  const execution = await execute(createMachine(states), input);
  return { outcome: execution.outcome, events: execution.events };
}

test('"Assigning State Machine Variables": a later state of either language reads them', async () => {
  const { outcome, events } = await play(
    {
      First: { Type: 'Pass', Assign: { make: 'Infiniti', 'year.$': '$.year', model: { name: 'G35' } }, Next: 'Second' },
      Second: {
        ...JSONATA,
        Type: 'Pass',
        Output: "{% $year & ' ' & $make & ' ' & $model.name %}",
        Assign: { seen: '{% $year + 1 %}' },
        Next: 'Third',
      },
      Third: { Type: 'Pass', Parameters: { 'was.$': '$', 'seen.$': '$seen', 'model.$': '$model.name' }, ...END },
    },
    { year: 2006 },
  );
  expect(outcome).toEqual({ output: { was: '2006 Infiniti G35', seen: 2007, model: 'G35' } });
  const assigned = events.map(({ details }) => details.assignedVariables).filter((one) => one !== undefined);
  expect(assigned).toEqual([{ make: '"Infiniti"', year: '2006', model: '{"name":"G35"}' }, { seen: '2007' }]);
});

test.each([true, false])(
  '"Evaluation order in an assign field": all see the values of the entry (JSONata: %s)',
  async (isJsonata) => {
    const swap = isJsonata
      ? { ...JSONATA, Assign: { x: '{% $a %}', nextX: '{% $x %}' }, Output: '{% $x %}' }
      : { Assign: { 'x.$': '$a', 'nextX.$': '$x' }, OutputPath: '$x' };
    const { outcome } = await play({
      Begin: { Type: 'Pass', Assign: { x: 3, a: 6 }, Next: 'Swap' },
      Swap: { Type: 'Pass', ...swap, Next: 'End' },
      End: { ...JSONATA, Type: 'Pass', Output: ['{% $states.input %}', '{% $x %}', '{% $nextX %}'], ...END },
    });
    expect(outcome).toEqual({ output: [3, 6, 3] });
  },
);

test('"Using Assign" in JSONPath: $ is the result of a state that has one, and what a Choice or a Wait works on', async () => {
  const choose = { Variable: '$.n', NumericEquals: 1, Assign: { 'chosen.$': '$.n' }, Next: 'Rest' };
  const states = (n: number): States => ({
    Made: { Type: 'Pass', Result: { n }, ResultPath: '$.made', Assign: { 'made.$': '$.n' }, Next: 'Which' },
    Which: { Type: 'Choice', InputPath: '$.made', Choices: [choose], Assign: { chosen: 'none' }, Default: 'Rest' },
    Rest: { Type: 'Wait', Seconds: 1, InputPath: '$.n', Assign: { 'rested.$': '$' }, Next: 'Each' },
    Each: {
      Type: 'Parallel',
      Branches: [{ StartAt: 'One', States: { One: { Type: 'Pass', Result: 'one', ...END } } }],
      ResultSelector: { 'shaped.$': '$[0]' },
      Assign: { 'first.$': '$[0]' },
      Next: 'End',
    },
    End: {
      ...JSONATA,
      Type: 'Pass',
      Output: ['{% $made %}', '{% $chosen %}', '{% $rested %}', '{% $first %}', '{% $states.input.shaped %}'],
      ...END,
    },
  });
  expect((await play(states(1))).outcome).toEqual({ output: [1, 1, 1, 'one', 'one'] });
  expect((await play(states(2))).outcome).toEqual({ output: [2, 'none', 2, 'one', 'one'] });
});

test('"Using variables in JSONPath states": every field with a path reads them', async () => {
  const begin = {
    Type: 'Pass',
    Assign: { list: [1, 2], seconds: 1, limit: 1, most: '1', why: { text: 'enough' } },
    Next: 'Rest',
  };
  const states: States = {
    Begin: begin,
    Rest: { Type: 'Wait', SecondsPath: '$seconds', Next: 'Each' },
    Each: {
      Type: 'Map',
      ItemsPath: '$list',
      MaxConcurrencyPath: '$most',
      ItemSelector: { 'item.$': '$$.Map.Item.Value', 'of.$': 'States.ArrayLength($list)', 'last.$': '$list[-1]' },
      ItemProcessor: { StartAt: 'One', States: { One: { Type: 'Pass', ...END } } },
      Assign: { 'each.$': '$', 'first.$': '$[0].item' },
      Next: 'Which',
    },
    Which: { Type: 'Choice', Choices: [{ Variable: '$first', NumericEqualsPath: '$limit', Next: 'In' }] },
    In: { Type: 'Pass', InputPath: '$why', ResultPath: '$[0]', OutputPath: '$', Next: 'Out' },
    Out: { Type: 'Pass', Assign: { 'seen.$': '$[0].text' }, OutputPath: '$each', Next: 'No' },
    No: { Type: 'Fail', ErrorPath: '$why.text', CausePath: "States.Format('{} {}', $seen, $each[1].item)" },
  };
  expect((await play(states)).outcome).toEqual({ error: 'enough', cause: 'enough 2' });
  const unknown = { ...states, Begin: { ...begin, Assign: { seconds: 1 } } };
  expect((await play(unknown)).outcome).toMatchObject({
    error: 'States.Runtime',
    cause: expect.stringContaining("'$list'"),
  });
});

/** "Variable Scope". */
const GREETING: States = {
  'Get Greeting': { Type: 'Pass', Assign: { outer: 'hello' }, Output: [1, 2], Next: 'Greet Everyone' },
  'Greet Everyone': {
    Type: 'Map',
    ItemProcessor: {
      StartAt: 'Begin',
      States: {
        Begin: { Type: 'Pass', Assign: { inner: 'world', hi: '{% $outer & $states.input %}' }, Next: 'End' },
        End: { Type: 'Succeed', Output: '{% $hi %}' },
      },
    },
    Assign: { outer: 2, all: '{% $states.result %}' },
    Next: 'Goodbye',
  },
  Goodbye: { Type: 'Succeed', Output: ['{% $outer %}', '{% $all %}', '{% $exists($inner) %}'] },
};

test('"Variable Scope": iterations read outer variables, and have their own', async () => {
  const cloud = createCloud(machineResource(GREETING, [], JSONATA));
  expect((await execute(cloud)).outcome).toEqual({ output: [2, ['hello1', 'hello2'], false] });
});

test('"Variable Scope": branches do not see each other\'s variables', async () => {
  const branch = (name: string, other: string): Json => ({
    StartAt: 'A',
    States: {
      A: { Type: 'Pass', Assign: { [name]: name }, Next: 'B' },
      B: { Type: 'Wait', Seconds: 5, Output: [`{% $${name} %}`, `{% $exists($${other}) %}`], ...END },
    },
  });
  const states = { Both: { Type: 'Parallel', Branches: [branch('x', 'y'), branch('y', 'x')], ...END } };
  const cloud = createCloud(machineResource(states, [], JSONATA));
  expect((await execute(cloud)).outcome).toEqual({
    output: [
      ['x', false],
      ['y', false],
    ],
  });
});

test('the Assign of a catcher writes to the scope of its state', async () => {
  const no = { StartAt: 'No', States: { No: { Type: 'Fail', Error: 'No' } } };
  const { outcome } = await play({
    Try: {
      Type: 'Parallel',
      Branches: [no],
      Assign: { failed: false },
      Catch: [
        { ErrorEquals: ['States.ALL'], ResultPath: '$.e', Assign: { failed: true, 'why.$': '$.Error' }, Next: 'End' },
      ],
      Next: 'End',
    },
    End: { ...JSONATA, Type: 'Pass', Output: ['{% $failed %}', '{% $why %}', '{% $states.input.e.Error %}'], ...END },
  });
  expect(outcome).toEqual({ output: [true, 'No', 'No'] });
});

test.each<[what: string, states: States]>([
  ["the name 'states' of a variable is reserved", { A: { Type: 'Pass', Assign: { states: 1 }, ...END } }],
  ["'x.y' is no name of a variable", { A: { Type: 'Pass', Assign: { 'x.y': 1 }, ...END } }],
  ["'x[2]' is no name of a variable", { A: { Type: 'Pass', Assign: { 'x[2]': 1 }, ...END } }],
  ["'1x' is no name of a variable", { A: { Type: 'Pass', Assign: { '1x.$': '$' }, ...END } }],
  [`'${'x'.repeat(81)}' is no name of a variable`, { A: { Type: 'Pass', Assign: { ['x'.repeat(81)]: 1 }, ...END } }],
  ["'x.$' is no name of a variable", { A: { ...JSONATA, Type: 'Pass', Assign: { 'x.$': 1 }, ...END } }],
  ['Assign', { A: { Type: 'Succeed', Assign: {} } }],
  ['Assign is no object', { A: { Type: 'Pass', Assign: [1], ...END } }],
  ['Assign is no object', { A: { ...JSONATA, Type: 'Pass', Assign: null, ...END } }],
  ["the path '$states.input'", { A: { Type: 'Pass', InputPath: '$states.input', ...END } }],
  [
    "the variable 'x' belongs to an outer scope",
    {
      A: {
        Type: 'Parallel',
        Branches: [{ StartAt: 'B', States: { B: { Type: 'Pass', Assign: { x: 1 }, ...END } } }],
        Catch: [{ ErrorEquals: ['States.ALL'], Assign: { 'x.$': '$' }, Next: 'C' }],
        Next: 'C',
      },
      C: { Type: 'Succeed' },
    },
  ],
])('a definition is refused: %s', (what, states) =>
  expect(() => createCloud(machineResource(states))).toThrow(`: ${what}`),
);

test('"Limits": one Assign has 256 KiB at most, an execution 10 MiB, and what States.ALL catches is not this', async () => {
  const quarter = 'x'.repeat(65_534);
  const one = { a: quarter, b: quarter, c: quarter, d: quarter };
  const variables = new Variables();
  variables.assign(one);
  expect(() => variables.assign({ ...one, e: 1 })).toThrow('States.DataLimitExceeded');
  const scopes = Array.from({ length: 39 }, () => variables.begin());
  for (const scope of scopes) scope.assign(one);
  expect(() => variables.begin().assign({ e: 1 })).toThrow('States.DataLimitExceeded');
  // What is written again takes its place, and a scope that ended has none.
  scopes[0]?.assign(one);
  scopes[1]?.end();
  variables.begin().assign(one);
  variables.endInner();
  variables.begin().assign(one);
  expect(Object.keys(variables.values)).toEqual(['a', 'b', 'c', 'd']);

  const { outcome } = await play({
    Try: {
      ...JSONATA,
      Type: 'Map',
      Items: [1],
      ItemProcessor: { StartAt: 'One', States: { One: { Type: 'Pass', ...END } } },
      Assign: { a: 'x'.repeat(200_000), b: 'x'.repeat(200_000) },
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'End' }],
      Next: 'End',
    },
    End: { Type: 'Succeed' },
  });
  expect(outcome).toMatchObject({ error: 'States.DataLimitExceeded' });
});

test('variables of iterations that ended, or were given up, take no room', async () => {
  const each = (Items: string, MaxConcurrency: number, more: States): Json => ({
    Type: 'Map',
    Items,
    MaxConcurrency,
    ItemProcessor: {
      StartAt: 'Keep',
      States: {
        Keep: { Type: 'Pass', Assign: { kept: "{% $pad('', 250000, 'x') %}" }, Next: 'Which' },
        Which: { Type: 'Choice', Choices: [{ Condition: '{% $states.input = 0 %}', Next: 'No' }], Default: 'Rest' },
        Rest: { Type: 'Wait', Seconds: 1, ...END },
        No: { Type: 'Fail', Error: 'No' },
      },
    },
    Output: '{% $count($states.result) %}',
    ...more,
  });
  const caught = { Catch: [{ ErrorEquals: ['No'], Next: 'Second' }], Next: 'Second' };
  const states = {
    First: each('{% [1..30, 0] %}', 40, caught),
    Second: each('{% [1..30] %}', 40, { Next: 'Third' }),
    Third: each('{% [1..50] %}', 1, END),
  };
  const cloud = createCloud(machineResource(states, [], JSONATA));
  expect((await execute(cloud)).outcome).toEqual({ output: 50 });
});
