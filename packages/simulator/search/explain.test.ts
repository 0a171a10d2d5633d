import { expect, test } from 'vitest';
import { explain } from './explain.js';

const BEGUN = '2026-01-05T10:00:00.000Z';
const history = (...lines: readonly string[]): readonly string[] => lines.map((line) => `${BEGUN} ${line}`);

test('the cause names the repetition that was refused', () => {
  const trace = history(
    'Shop/Place call 1 dynamodb.PutItem lamp FAULT answer-lost',
    'Shop/Place call 2 dynamodb.PutItem lamp',
    'Shop/Place call 2 ConditionalCheckFailedException',
  );
  expect(explain({ point: 'Shop/Place call 1', kind: 'answer-lost' }, trace)).toContain(
    'Its repetition was refused: Shop/Place call 2 ConditionalCheckFailedException.',
  );
});

test('a refused call that repeats nothing is no cause', () => {
  const trace = history(
    'Shop/Place call 1 lambda.Invoke FAULT killed-before',
    'Shop/Place invocation 1 failed Runtime.ExitError: signal: killed',
    'Shop/Place call 2 lambda.Invoke',
    'Shop/Place call 2 ok',
    'Shop/Place call 3 dynamodb.UpdateItem desk',
    'Shop/Place call 3 ConditionalCheckFailedException',
  );
  expect(explain({ point: 'Shop/Place call 1', kind: 'killed-before' }, trace)).toMatch(
    /the function died before its call\. Then: Shop\/Place invocation 1 failed Runtime\.ExitError: signal: killed\.$/,
  );
});
