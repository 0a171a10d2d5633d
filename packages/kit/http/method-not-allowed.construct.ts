import type { IResource } from 'aws-cdk-lib/aws-apigateway';
import { ANSWER_HEADERS } from './answer-headers.js';
import { corsHeaders, corsTemplate } from './cors.construct.js';
import { problemTemplate } from './gateway-responses.construct.js';
import { addMockMethod, quoteValues } from './mock-method.construct.js';

/**
 * Answers 405 to every method that a path does not have, and lists the methods that it has (RFC 9110, 15.5.6).
 *
 * `HEAD` gets 405 too, and so does `OPTIONS` unless pages of other origins may call. The
 * gateway answers by itself. It invokes no function and asks for no token, since the paths are no secret.
 * @param origins whose pages may read the answer
 */
export function refuseOtherMethods(
  path: IResource,
  allowed: readonly string[],
  { app, origins }: { readonly app: string; readonly origins: readonly string[] },
): void {
  const problem = problemTemplate(app, {
    code: 'method-not-allowed',
    title: 'Method not allowed',
    status: 405,
    detail: 'The Allow header names the methods of this path.',
  });
  addMockMethod(path, 'ANY', {
    status: 405,
    headers: {
      ...quoteValues({
        ...ANSWER_HEADERS,
        Allow: [...allowed].sort().join(', '),
        'Content-Type': 'application/problem+json',
        ...corsHeaders(origins),
      }),
      'X-Correlation-Id': 'context.requestId',
    },
    template: corsTemplate(origins) + problem,
    reason: 'Which methods a path has is the same for everybody; whoever asks for another one gets nothing else.',
  });
}
