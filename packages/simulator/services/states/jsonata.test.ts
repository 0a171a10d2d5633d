/**
 * Cases of the Amazon States Language specification ("JSONata Concepts"), of the AWS Step Functions Developer Guide ("Transforming data with
 * JSONata in Step Functions"), and of answers of AWS that others have recorded. Each test names its part.
 */
import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { Random } from '../../engine/random.js';
import { JSONATA } from './jsonata.js';
import { compileJsonata } from './jsonata-field.js';
import type { Scope } from './scope.js';

const NOON = Date.UTC(2026, 0, 5, 12);
const scopeOf = (variables: { readonly [name: string]: Json } = {}, input: Json = {}, seed = '1'): Scope => ({
  input,
  context: { Execution: { Id: 'x' } },
  variables,
  random: new Random(seed),
  now: NOON,
});
const evaluate = (value: Json, variables = {}, input: Json = {}): Json =>
  compileJsonata(value, 'Output')(scopeOf(variables, input));

const STUDENT = {
  student: { name: 'Scotland', course: [{ grade: 34 }, { grade: 99 }, { grade: 76 }, { grade: 96 }] },
  class: { teacher: 'Bert' },
  two: 'the number 2',
};
test('"JSONata Evaluation": strings in braces are replaced, at any depth', () => {
  const given = {
    student: '{% $student.name %}',
    classInfo: { teacher: '{% $class.teacher %}' },
    values: [1, '{% $two %}', 'three'],
  };
  expect(evaluate(given, STUDENT)).toEqual({
    student: 'Scotland',
    classInfo: { teacher: 'Bert' },
    values: [1, 'the number 2', 'three'],
  });
  const whole = "{% { 'avg': $average($student.course.grade), 'num': $count($student.course) }  %}";
  expect(evaluate(whole, STUDENT)).toEqual({ avg: 76.25, num: 4 });
});

test.each<[text: string, value: Json, input?: Json]>([
  ["{% 'Last=>' & $states.input.customer.lastName %}", 'Last=>Rivera', { customer: { lastName: 'Rivera' } }],
  ['{% ($product := function($x, $y) {$x * $y}; $reduce([1..5], $product)) %}', 120],
  ['{% $states.context.Execution.Id %}', 'x'],
  [
    '{% $states.input.products[calories=0] %}',
    { name: 'water', calories: 0 },
    {
      products: [
        { name: 'water', calories: 0 },
        { name: 'cola', calories: 139 },
      ],
    },
  ],
  [
    '{% $states.input.products[calories > 0].name %}',
    ['a', 'b'],
    {
      products: [
        { name: 'a', calories: 1 },
        { name: 'b', calories: 2 },
      ],
    },
  ],
  ['{% $merge([$states.input.a, $states.input.b]) %}', { x: 1, y: 2 }, { a: { x: 1 }, b: { y: 2 } }],
  ["{% $contains($lowercase('FATAL'), /.*fatal.*/) %}", true],
  ["{% { 'absent': $states.input.nothing } %}", {}],
  ['{% null %}', null],
  ["{%'a'%}", 'a'],
  // As recorded at AWS: spaces around make it a text.
  [' {% $states.input %} ', ' {% $states.input %} '],
  ['$states.input', '$states.input'],
  // "JSONata functions provided by Step Functions".
  ['{% $partition([1,2,3,4], 3) %}', [[1, 2, 3], [4]]],
  ['{% $partition([1..9], 4.9) %}', [[1, 2, 3, 4], [5, 6, 7, 8], [9]]],
  ['{% $range(0, 10, 2) %}', [0, 2, 4, 6, 8, 10]],
  // As recorded at AWS: one value is no list, but one part is.
  ['{% $range(1, 9, 9) %}', 1],
  ['{% $partition($states.input.list, 5) %}', [[0]], { list: [0] }],
  ["{% $hash('input data', 'SHA-1') %}", 'aaff4a450a104cd177d28d18d74485e8cae074b7'],
  ['{% $parse(\'{"a": [1, "x"]}\') %}', { a: [1, 'x'] }],
  ['{% $now() %}', '2026-01-05T12:00:00.000Z'],
  ["{% $now('[Y]/[M01]', '+0000') %}", '2026/01'],
  ['{% $millis() %}', NOON],
  // A time without its day is today's.
  ["{% $toMillis('10:30', '[H]:[m]') %}", Date.UTC(2026, 0, 5, 10, 30)],
  ["{% $toMillis('1970-01-01T00:00:01Z') %}", 1000],
  // As JSONata 2.0.6 has it.
  ["{% $now('[h][P] [PN] [[PN]]') %}", '12pm PM [PN]'],
  ["{% $fromMillis(0, '[h#1][PN]', '-0100') %}", '11PM'],
  ["{% $number('0x1f') + $number('7') %}", 38],
  ['{% ($x := 5; $x[] ~> $filter(function($v){$v > 1}) ~> $map(function($v){$v})) %}', [5]],
])('%s', (text, value, input = {}) => expect(evaluate(text, {}, input)).toEqual(value));

test('a time without its zone is of UTC, wherever a history is played', () => {
  const { TZ } = process.env;
  process.env.TZ = 'Asia/Tokyo';
  try {
    expect(new Date(0).getHours()).toBe(9);
    expect(evaluate("{% $toMillis('1970-01-01T00:00:01') %}")).toBe(1000);
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

test.each<[text: string, fault: string]>([
  ['$doesNotExist', 'returned nothing (undefined).'],
  ['$fn := function($x){$x}', 'returned an unsupported result type.'],
  ['1 / 0', 'returned an unsupported result type.'],
  ["{'a': [$sum]}", 'returned an unsupported result type.'],
  ['$randomSeeded(1)', 'threw an error during evaluation. T1006: Attempted to invoke a non-function'],
  ["$eval('1')", 'threw an error during evaluation. T1006: Attempted to invoke a non-function'],
  [
    "$count(1) + 'a'",
    'threw an error during evaluation. T2002: The right side of the "+" operator must evaluate to a number',
  ],
  ["$hash('a', 'SHA-3')", 'threw an error during evaluation. States.Hash: there is no algorithm SHA-3'],
  ['($f := function($n){ 1 + $f($n + 1) }; $f(1))', 'threw an error during evaluation. Stack overflow error'],
  ['$sum($map([1..1000000], function($x){$x}))', 'threw an error during evaluation. Expression evaluation timeout'],
])('"Handling expression errors": %s', (text, fault) => {
  const failure = `States.QueryEvaluationError: The JSONata expression '${text}' specified for the field 'Output/sum[1]' ${fault}`;
  expect(() => evaluate({ sum: [1, `{% ${text} %}`] })).toThrow(failure);
});

test('an expression that failed can be evaluated again', () => {
  const field = compileJsonata(
    '{% ($f := function($n){ $n = 0 ? 0 : 1 + $f($n - 1) }; $f($states.input)) %}',
    'Output',
  );
  // The second depth would fit into the stack of this computer.
  for (const depth of [10_000, 350]) expect(() => field(scopeOf({}, depth))).toThrow('Stack overflow error');
  expect(field(scopeOf({}, 50))).toBe(50);
});

test('chance is that of the history, and a seed gives the same number', () => {
  const draw = (text: string, seed: string): Json => compileJsonata(text, 'Output')(scopeOf({}, {}, seed));
  for (const text of ['{% $random() %}', '{% $uuid() %}', '{% $shuffle([1..20]) %}']) {
    expect(draw(text, '1')).toEqual(draw(text, '1'));
    expect(draw(text, '1')).not.toEqual(draw(text, '2'));
  }
  expect(draw('{% $random(7) %}', '1')).toBe(draw('{% $random(7) %}', '2'));
  expect(draw('{% $random(7) %}', '1')).not.toBe(draw('{% $random(8) %}', '1'));
  expect(draw('{% $random() %}', '1')).toBeLessThan(1);
  expect(draw('{% $uuid() %}', '1')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
});

// Messages and places as AWS's ValidateStateMachineDefinition gives them.
test.each<[text: string, refusal: string]>([
  ['{% phone %}', "Reference to 'phone' at the top level is not supported."],
  ['{% phone[0] %}', "Reference to 'phone' at the top level is not supported."],
  ['{% 1 + phone.number %}', "Reference to 'phone' at the top level is not supported."],
  ['{% {aaa: 1} %}', "Reference to 'aaa' at the top level is not supported."],
  ['{% $map($states.input.a, function($x){ b }) %}', "Reference to 'b' at the top level is not supported."],
  ['{% ($x := phone; $x) %}', "Reference to 'phone' at the top level is not supported."],
  ['{% true ? [phone] : 1 %}', "Reference to 'phone' at the top level is not supported."],
  ['{% $.phone %}', "Reference to '$' at the top level is not supported."],
  ['{% $$ %}', "Reference to '$$' is not supported."],
  ['{% $states.input[$$.a] %}', "Reference to '$$' is not supported."],
  ['{% $states.result %}', "Field '$states.result' does not exist."],
  ['{% [$states.errorOutput.Cause] %}', "Field '$states.errorOutput' does not exist."],
  ['{% a[1,2) %}', 'Expected "]", got ","'],
  ['{% 1 + %}', 'Unexpected end of expression'],
  ['{%%}', 'Unexpected end of expression'],
  ['{% 1', 'an expression of JSONata begins with {% and ends with %}'],
  ['prefix {% 1 %}', 'an expression of JSONata begins with {% and ends with %}'],
])('"JSONata Restrictions": %s is refused', (text, refusal) =>
  expect(() => compileJsonata({ a: { b: [text] } }, 'Output')).toThrow(`${refusal} at Output/a/b[0]`),
);

test.each([
  '{% $states.input.items[phone > 3] %}',
  '{% $map($states.input.a, function($x){ $x.phone }) %}',
  '{% $states.input.items^(phone) %}',
  '{% $states.input.items{phone: $count($)} %}',
  '{% $states.input.items.(phone & $.name) %}',
  '{% $phone %}',
  '{% $x := 1 %}',
  '{% $states.input ~> |$|{"phone": name}| %}',
])('names in an expression are accepted: %s', (text) => expect(() => compileJsonata(text, 'Output')).not.toThrow());

test('$states has the result or the error output where the field sees it', () => {
  const scope = { ...scopeOf(), input: 1 };
  const { readEnding, readCatcher } = JSONATA;
  const Output = '{% $states.result + $states.input %}';
  const Assign = { r: '{% $states.result %}' };
  for (const Type of ['Task', 'Parallel', 'Map'])
    expect(readEnding({ Type, Output, Assign })(scope, 2)).toEqual({ output: 3, assigned: { r: 2 } });
  const caught = readCatcher({ Output: '{% $states.errorOutput.Error %}' }, 0);
  expect(caught(scope, { Error: 'E', Cause: 'c' })).toEqual({ output: 'E', assigned: {} });
  for (const Type of ['Pass', 'Wait', 'Choice', 'Succeed'])
    expect(() => readEnding({ Type, Output })).toThrow("Field '$states.result' does not exist. at Output");
  const ofError = { Type: 'Task', Output: '{% $states.errorOutput %}' };
  expect(() => readEnding(ofError)).toThrow("Field '$states.errorOutput' does not exist. at Output");
  expect(() => readCatcher({ Assign }, 1)).toThrow('does not exist. at Catch[1]/Assign/r');
});

test.each<[seconds: Json, fault: string | number]>([
  ['{% 3 %}', 3],
  [4, 4],
  [
    "{% '3' %}",
    "The JSONata expression ''3'' specified for the field 'Seconds' returned an unexpected result type. Expected 'number', but was 'string' for value: \"3\"",
  ],
  ['{% 1.5 %}', 'The Seconds field cannot be parsed as an integer: 1.5'],
  ['{% -1 %}', 'The Seconds field must be 0 or more: -1'],
])('"JSONata Runtime Errors": a field refuses a value of another type, or out of its range: %s', (Seconds, fault) => {
  const read = () => JSONATA.readNumber({ Seconds }, 'Seconds', 0)?.(scopeOf());
  if (typeof fault === 'number') expect(read()).toBe(fault);
  else expect(read).toThrow(`States.QueryEvaluationError: ${fault}`);
});

test.each(['2016-12-05 21:29:29Z', '2016-12-05T21:29:29', '2016-13-05T21:29:29Z', '05-12-2016T21:29:29Z'])(
  '"Wait State": %s is no timestamp',
  (text) => {
    const fault = `The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: ${text}`;
    expect(() => JSONATA.readTimestamp({ Timestamp: `{% '${text}' %}` })?.(scopeOf())).toThrow(fault);
    expect(() => JSONATA.readTimestamp({ Timestamp: text })).toThrow('String does not match RFC3339 timestamp');
  },
);
