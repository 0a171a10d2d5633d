import { describe, expect, test } from 'vitest';
import { Problem } from '../../../packages/kit/http/errors.js';
import { answerCommand } from '../../../packages/operator/api/answers.js';
import { Exit, OperatorError, RequestRefused } from '../../../packages/operator/cli/errors.js';

describe('an answer', () => {
  test('an answer is the JSON object of the command, whatever its exit code', async () => {
    const outcome = { exitCode: Exit.NEEDS_OPERATOR, text: 'for people', json: { groups: [] } };
    expect(await answerCommand(Promise.resolve(outcome))).toEqual({ status: 200, body: { groups: [] } });
  });

  test('an answer is refused if Lambda would not pass it on', async () => {
    const outcome = (length: number) => ({ exitCode: Exit.OK, text: '', json: { actions: 'x'.repeat(length) } });
    expect((await answerCommand(Promise.resolve(outcome(4_900_000)))).status).toBe(200);
    await expect(answerCommand(Promise.resolve(outcome(5_000_000)))).rejects.toMatchObject({
      status: 400,
      detail: 'the answer has more than 5 MB: ask for less, or use the command line',
    });
  });

  test.each([
    [new OperatorError('not-found', 'There is none.', ['status']), 404],
    [new RequestRefused('There is none.', ['status']), 400],
  ])('an answer is a problem if the request is at fault: %s', async (error, status) => {
    const problem = await answerCommand(Promise.reject(error)).catch((thrown: unknown) => thrown);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ status, detail: 'There is none.', cause: error });
  });

  test.each([
    new OperatorError('unreachable', 'No region.'),
    new OperatorError('refused', 'The rebuild function of a projection ended with an error.'),
    new Error('a fault'),
  ])('an answer is an internal error for anything else: %s', async (error) => {
    await expect(answerCommand(Promise.reject(error))).rejects.toBe(error);
  });
});
