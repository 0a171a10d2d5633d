import { expect, test } from 'vitest';
import { environment, value } from '../support/environments.js';

/** Invokes a handler in a runtime of Lambda. */
const invokeIn = (runtime: string, handler: string) =>
  environment(`exports.handler = ${handler};`, '1', undefined, 'value', undefined, {
    AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
  }).invoke();

test.each<[told: string, handler: string, result: unknown]>([
  ['a promise counts', 'async () => 1', 1],
  ['a callback counts', '(event, context, callback) => callback(null, 2)', 2],
  ['a late callback counts', '(event, context, callback) => { setTimeout(() => callback(null, 3), 500); }', 3],
  ['only the first callback counts', '(event, context, callback) => { callback(null, 4); callback(null, 5); }', 4],
  ['context.succeed counts', '(event, context) => context.succeed(6)', 6],
  ['context.done counts', '(event, context) => context.done(null, 7)', 7],
  ['a value that is no promise does not count', '() => 8', null],
  ['nothing comes back when nothing is under way', '() => { setTimeout(() => console.log("late"), 500); }', null],
])('up to Node.js 22: %s', async (_, handler, result) => {
  expect(value(await invokeIn('nodejs22.x', handler))).toEqual(result);
});

test.each<[told: string, handler: string, message: string]>([
  ['an error of a callback', '(event, context, callback) => callback(new Error("one"))', 'one'],
  ['a text of a callback', '(event, context, callback) => callback("two")', 'two'],
  ['context.fail', '(event, context) => context.fail(new Error("three"))', 'three'],
  ['what is thrown', '() => { throw new Error("four"); }', 'four'],
])('up to Node.js 22, %s fails the invocation', async (_, handler, message) => {
  expect(await invokeIn('nodejs22.x', handler)).toMatchObject({ kind: 'threw', message });
});

test('from Node.js 24 on a value counts that is no promise', async () => {
  expect(value(await invokeIn('nodejs24.x', '() => 8'))).toBe(8);
});

test('from Node.js 24 on a handler with a callback is refused when it is loaded', () => {
  expect(() => invokeIn('nodejs24.x', '(event, context, callback) => callback(null, 1)')).toThrow(
    'AWS Lambda has removed support for callback-based function handlers starting with Node.js 24',
  );
});
