/**
 * Cases of the Amazon States Language specification (states-language.net) and of the AWS Step Functions Developer Guide. Each test names
 * its part.
 */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { Random } from '../../engine/random.js';
import { parsePath, readAt } from '../../wire/json-path.js';
import { compileCondition } from './choice.js';
import { compileExpression, compileResultPath, compileTemplate } from './payload.js';

const scope = (input: Json, context: JsonObject = {}) => ({
  input,
  context,
  variables: {},
  random: new Random('1'),
  now: 0,
});
const evaluate = (text: string, input: Json = {}): Json => compileExpression(text)(scope(input));

const LIBRARY = { store: { book: [{ price: 10 }, { price: 20 }, { price: 30 }], 'shelf-1': { price: 5 } } };
test.each<[path: string, found: Json | undefined]>([
  ['$', LIBRARY],
  ['$.store.book[1].price', 20],
  ['$.store.book[-1].price', 30],
  ["$['store']['shelf-1'].price", 5],
  ['$.store.book[0:2].price', [10, 20]],
  ['$.store.book[*].price', [10, 20, 30]],
  ['$.store..price', [10, 20, 30, 5]],
  ['$.nothing.price', undefined],
  ['$.store.book[7]', undefined],
])('"Paths": %s', (path, found) => expect(readAt(parsePath(path), LIBRARY)).toEqual(found));

test.each(['$.a[?(@.b > 1)]', '$.a.length()', 'a.b', "$['a','b']"])('a path without a model is refused: %s', (path) =>
  expect(() => parsePath(path)).toThrow(path),
);

test.each<[path: string | null, input: Json, written: Json]>([
  ['$', { a: 1 }, 'r'],
  [null, { a: 1 }, { a: 1 }],
  ['$.b.c', { a: 1 }, { a: 1, b: { c: 'r' } }],
  ['$.a', { a: 1 }, { a: 'r' }],
  ['$.a[0]', { a: [1, 2] }, { a: ['r', 2] }],
])('"ResultPath" %s of %j', (path, input, written) => expect(compileResultPath(path)(input, 'r')).toEqual(written));

test('"ResultPath" that does not fit is States.ResultPathMatchFailure', () =>
  expect(() => compileResultPath('$.a.b')({ a: 'text' }, 'r')).toThrow('States.ResultPathMatchFailure'));

test('"Payload Template": members with .$ are replaced, also from the context object', () => {
  const template = compileTemplate({
    flagged: true,
    parts: { 'first.$': '$.vals[0]', 'last3.$': '$.vals[-3:]' },
    list: [{ 'id.$': '$$.Execution.Id' }],
  });
  expect(template(scope({ vals: [0, 10, 20, 30, 40, 50] }, { Execution: { Id: 'x' } }))).toEqual({
    flagged: true,
    parts: { first: 0, last3: [30, 40, 50] },
    list: [{ id: 'x' }],
  });
});

test.each<[expression: string, input: Json, value: Json]>([
  ["States.Format('Hello, my name is {}.', $.name)", { name: 'Arnav' }, 'Hello, my name is Arnav.'],
  ["States.Format('{}.{}', States.ArrayGetItem($.list, 1), 7)", { list: ['a', 'b'] }, 'b.7'],
  ["States.Format('a \\'quote\\' and \\{\\}')", {}, "a 'quote' and {}"],
  ['States.StringToJson($.text)', { text: '{"foo":"bar"}' }, { foo: 'bar' }],
  ['States.JsonToString($.value)', { value: { foo: 'bar' } }, '{"foo":"bar"}'],
  ["States.Array('a', 1, true, null, $.x)", { x: [] }, ['a', 1, true, null, []]],
  ['States.ArrayPartition($.list, 4)', { list: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, [[1, 2, 3, 4], [5, 6, 7, 8], [9]]],
  ['States.ArrayContains($.list, $.one)', { list: [1, 2], one: 2 }, true],
  ['States.ArrayRange(1, 9, 2)', {}, [1, 3, 5, 7, 9]],
  ['States.ArrayLength($.list)', { list: [1, 2, 3] }, 3],
  ['States.ArrayUnique($.list)', { list: [1, 2, 3, 3, 1] }, [1, 2, 3]],
  ['States.Base64Encode($.text)', { text: 'Data to encode' }, 'RGF0YSB0byBlbmNvZGU='],
  ["States.Base64Decode('RGVjb2RlZCBkYXRh')", {}, 'Decoded data'],
  ["States.Hash('input data', 'SHA-1')", {}, 'aaff4a450a104cd177d28d18d74485e8cae074b7'],
  [
    'States.JsonMerge($.one, $.two, false)',
    { one: { a: { a1: 1 }, b: 2 }, two: { a: { a3: 1 }, c: 3 } },
    { a: { a3: 1 }, b: 2, c: 3 },
  ],
  ['States.MathAdd($.value, -1)', { value: 111 }, 110],
  ["States.StringSplit('1,2,3', ',')", {}, ['1', '2', '3']],
  ["States.StringSplit('This.is+a,test=string', '.+,=')", {}, ['This', 'is', 'a', 'test', 'string']],
])('"Intrinsic functions": %s', (expression, input, value) => expect(evaluate(expression, input)).toEqual(value));

test('what is random follows from the seed', () => {
  expect(evaluate('States.UUID()')).toBe(evaluate('States.UUID()'));
  expect(evaluate('States.MathRandom(1, 999)')).toBe(evaluate('States.MathRandom(1, 999)'));
});

test('an intrinsic function that AWS has not is refused when it is read, and one that fails is States.Runtime', () => {
  expect(() => compileExpression('States.Reverse($.a)')).toThrow('the intrinsic function States.Reverse');
  expect(() => evaluate('States.ArrayGetItem($.list, 5)', { list: [] })).toThrow('States.Runtime');
  expect(() => evaluate('$.nothing')).toThrow('States.Runtime');
});

const INPUT = {
  text: 'log-2026.txt',
  five: 5,
  other: 6,
  yes: true,
  nil: null,
  at: '2026-01-05T00:00:00Z',
  star: 'a*b',
};
test.each<[rule: JsonObject, holds: boolean]>([
  [{ Variable: '$.text', StringEquals: 'log-2026.txt' }, true],
  [{ Variable: '$.text', StringMatches: 'log-*.txt' }, true],
  [{ Variable: '$.text', StringMatches: 'log-*.tx' }, false],
  [{ Variable: '$.star', StringMatches: 'a\\*b' }, true],
  [{ Variable: '$.text', StringMatches: 'log-2026\\*' }, false],
  [{ Variable: '$.five', NumericLessThan: 6 }, true],
  [{ Variable: '$.five', NumericGreaterThanEqualsPath: '$.other' }, false],
  [{ Variable: '$.five', StringEquals: '5' }, false],
  [{ Variable: '$.yes', BooleanEquals: true }, true],
  [{ Variable: '$.at', TimestampLessThan: '2026-01-05T01:00:00+00:30' }, true],
  [{ Variable: '$.nil', IsNull: true }, true],
  [{ Variable: '$.nothing', IsPresent: false }, true],
  [{ Variable: '$.at', IsTimestamp: true }, true],
  [{ Variable: '$.text', IsTimestamp: true }, false],
  [{ Not: { Variable: '$.five', NumericEquals: 5 } }, false],
  [
    {
      And: [
        { Variable: '$.nothing', IsPresent: true },
        { Variable: '$.nothing', NumericEquals: 1 },
      ],
    },
    false,
  ],
  [
    {
      Or: [
        { Variable: '$.five', NumericEquals: 5 },
        { Variable: '$.nothing', NumericEquals: 1 },
      ],
    },
    true,
  ],
])('"Choice State": %j', (rule, holds) => expect(compileCondition(rule)(scope(INPUT))).toBe(holds));

test('"Choice State": a variable that is absent fails, and an unknown operator is refused', () => {
  expect(() => compileCondition({ Variable: '$.nothing', NumericEquals: 1 })(scope(INPUT))).toThrow('States.Runtime');
  expect(() => compileCondition({ Variable: '$.five', NumericNear: 1 })).toThrow('NumericNear');
});
