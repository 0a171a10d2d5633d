import { expect, test } from 'vitest';
import type { Invocation } from '../services/lambda/model.js';
import { formatInvocation } from './invocation-line.js';

const line = (result: Invocation['result'], logged?: object | string): string =>
  formatInvocation({
    fn: 'Orders/RunJudgements',
    began: 0,
    ended: 12,
    result,
    ...(logged !== undefined && { logged: typeof logged === 'string' ? logged : JSON.stringify(logged) }),
  } as Invocation);
const returned = { kind: 'returned', value: null } as Invocation['result'];

test('an invocation that failed is shown with its error, from outside of the function', () => {
  const failed = { kind: 'failed', name: 'TypeError', message: 'x is not a function' } as Invocation['result'];
  expect(line(failed)).toBe(
    '1970-01-01T00:00:00.000Z  Orders/RunJudgements  12 ms  failed: TypeError: x is not a function',
  );
});

test('an error that the function caught is shown with its name and the text that it logged', () => {
  const said = {
    message: 'retrying',
    record: 'orders-reviews@0#1',
    name: 'Error',
    text: 'fraud service is down',
  };
  expect(line(returned, said)).toContain('retrying orders-reviews@0#1 Error: fraud service is down');
  const { text: _, ...withoutText } = said;
  expect(line(returned, withoutText)).toMatch(/ Error$/);
  expect(line(returned, { message: 'order placed', orderId: 'o-1' })).toMatch(/ {2}order placed o-1$/);
  expect(line(returned, 'plain')).toMatch(/ {2}plain$/);
});
