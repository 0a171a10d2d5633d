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

test('the cause names an operation of a service whose name has a hyphen', () =>
  expect(
    explain(
      { point: 'Signup call 1', kind: 'answer-lost' },
      history('Signup call 1 cognito-idp.SignUp FAULT answer-lost'),
    ),
  ).toContain('At Signup call 1 (cognito-idp.SignUp)'));

/** AWS Step Functions, "Handling errors in Step Functions workflows": only a retrier repeats a task. */
test('the cause at a task names its state and the end of its execution, and no repetition by the SDK', () => {
  const trace = history(
    'Shop/Flow execution 1-2 begins',
    'Shop/Flow call 1 Charge the card FAULT answer-lost',
    'Shop/Flow Charge the card failed: Lambda.SdkClientException',
    'Shop/Flow execution 1-2 FAILED Lambda.SdkClientException: simulated: the answer was lost',
  );
  expect(explain({ point: 'Shop/Flow call 1', kind: 'answer-lost' }, trace)).toBe(
    'At Shop/Flow call 1 (Charge the card) the call took effect, and the connection broke before its answer; only a Retry of its state repeats it. ' +
      'Then: Shop/Flow execution 1-2 FAILED Lambda.SdkClientException: simulated: the answer was lost.',
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

const CALL = 'Shop/Place call 1';
/** A history of two requests, with a fault at the first call of the first one. */
const twoRequests = (fault: string, first: readonly string[], second: readonly string[] = []): readonly string[] =>
  history(
    'client POST /orders',
    'Shop/Place invocation 1 begins',
    `${CALL} dynamodb.PutItem lamp FAULT ${fault}`,
    ...first,
    'client GET /orders/1',
    'Shop/Place invocation 2 begins',
    ...second,
  );

test('the invocation of the next request is no repetition', () => {
  const trace = twoRequests('stale', ['Shop/Place invocation 1 returned', 'client POST /orders -> 404 none']);
  expect(explain({ point: CALL, kind: 'stale' }, trace)).toMatch(/up to 5 s before\.$/);
});

test('a request that its client repeats invokes the function again', () => {
  const trace = history(
    'client POST /orders',
    'Shop/Place invocation 1 begins',
    `${CALL} dynamodb.PutItem lamp FAULT refused-for-long`,
    'Shop/Place invocation 1 returned',
    'client POST /orders -> 503 ',
    'client POST /orders',
    'Shop/Place invocation 2 begins',
  );
  expect(explain({ point: CALL, kind: 'refused-for-long' }, trace)).toMatch(
    / Shop\/Place was invoked again, since its client repeated POST \/orders\.$/,
  );
});

test.each([
  ['Shop/Place gets m1 m2', ' Shop/Place got the same message again.'],
  ['Shop/Place gets m3', ''],
])('a queue repeats a message if it gives the same one: %s', (gets, said) => {
  const trace = history(
    'Shop/Place gets m1',
    'Shop/Place invocation 1 begins FAULT result-lost',
    'Shop/Place invocation 1 returned',
    gets,
    'Shop/Place invocation 2 begins',
  );
  expect(explain({ point: 'Shop/Place invocation 1', kind: 'result-lost' }, trace)).toBe(
    `At Shop/Place invocation 1 the invocation did its work, and its result was lost, so it is repeated.${said}`,
  );
});

test('an asynchronous invocation whose result was lost is repeated', () => {
  const trace = history(
    'Shop/Place invocation 1 begins FAULT result-lost',
    'Shop/Place invocation 1 returned',
    'Shop/Place invocation 2 begins',
  );
  expect(explain({ point: 'Shop/Place invocation 1', kind: 'result-lost' }, trace)).toMatch(
    / Shop\/Place was invoked again\.$/,
  );
});

test("another request's failure is no consequence", () => {
  const trace = twoRequests(
    'answer-lost',
    ['Shop/Place invocation 1 returned', 'client POST /orders -> 200'],
    ['Shop/Place invocation 2 failed Error: not found'],
  );
  expect(explain({ point: CALL, kind: 'answer-lost' }, trace)).not.toContain('Then:');
});

test('of two invocations that run at once it is not known which one has the call', () => {
  const trace = history(
    'Shop/Place invocation 1 begins',
    'Shop/Place invocation 2 begins',
    `${CALL} dynamodb.PutItem lamp FAULT answer-lost`,
    'Shop/Place invocation 2 failed Error: not found',
    'Shop/Place invocation 1 returned',
  );
  expect(explain({ point: CALL, kind: 'answer-lost' }, trace)).not.toContain('Then:');
});

test('a construct whose path begins alike has nothing to do with it', () => {
  const trace = history(
    'Shop/Place call 11 dynamodb.PutItem desk FAULT answer-lost',
    'Shop/Place invocation 1 begins',
    `${CALL} lambda.Invoke FAULT answer-lost`,
    'Shop/PlaceMore invocation 1 begins',
    'Shop/PlaceMore invocation 1 failed Error: not found',
    'Shop/Place invocation 1 returned',
  );
  const said = explain({ point: CALL, kind: 'answer-lost' }, trace);
  expect(said).toContain('At Shop/Place call 1 (lambda.Invoke) ');
  expect(said).not.toContain('Then:');
});

test.each([
  ['failed Sandbox.Timedout: Task timed out after 3.00 seconds', 'no answer came until the function timed out.'],
  ['returned', 'no answer came, and the function ended before its timeout.'],
  ['failed TimeoutError: requestTimeout', 'no answer came, and the function ended before its timeout.'],
])('a call without an answer ends as the trace says: %s', (outcome, said) => {
  const trace = twoRequests('hung-before', [`Shop/Place invocation 1 ${outcome}`]);
  expect(explain({ point: CALL, kind: 'hung-before' }, trace)).toContain(`(dynamodb.PutItem) ${said}`);
});
