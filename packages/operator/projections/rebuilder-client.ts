import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { RebuildAnswer, RebuildRequest } from '@orderly/kit/internal/projection/contract.js';
import { OperatorError } from '../cli/errors.js';

/** A projection, and the physical name of its rebuild function. */
export interface RebuildTarget {
  readonly name: string;
  readonly rebuild: string;
}

/** Asks the rebuild function of a projection, by a client that its owner closes. @throws {OperatorError} `refused` if it failed */
export async function invokeRebuilder(
  client: LambdaClient,
  { name, rebuild }: RebuildTarget,
  request: RebuildRequest,
): Promise<RebuildAnswer> {
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName: rebuild, Payload: Buffer.from(JSON.stringify(request)) }),
  );
  const answer: unknown = JSON.parse(Buffer.from(Payload ?? []).toString('utf8') || '{}');
  if (!FunctionError && isAnswer(answer)) return answer;
  const { errorType, errorMessage } = answer as { readonly errorType?: string; readonly errorMessage?: string };
  const why = [errorType ?? FunctionError ?? 'no answer', errorMessage].filter(Boolean).join(': ');
  throw new OperatorError(
    'refused',
    `The rebuild function of '${name}' ended with an error (${why}); its progress is kept. See the log of ${rebuild}.`,
    ['projections', 'show', name],
  );
}

const isAnswer = (answer: unknown): answer is RebuildAnswer =>
  typeof answer === 'object' && answer !== null && 'versions' in answer;
