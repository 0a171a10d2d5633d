import { Validations } from 'aws-cdk-lib';
import { AuthorizationType, type IResource, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway';
import { ANSWER_HEADERS } from './answer-headers.js';
import { problemTemplate, quoted } from './gateway-responses.construct.js';

/**
 * Answers 405 to every method that a path does not have, and lists the methods that it has (RFC 9110, 15.5.6).
 *
 * `HEAD` and `OPTIONS` get 405 too: the API is not for browsers of other origins, so no answer has a CORS header. The
 * gateway answers by itself. It invokes no function and asks for no token, since the paths are no secret.
 */
export function refuseOtherMethods(path: IResource, allowed: readonly string[], app: string): void {
  const headers: Readonly<Record<string, string>> = {
    ...quoted({
      ...ANSWER_HEADERS,
      Allow: [...allowed].sort().join(', '),
      'Content-Type': 'application/problem+json',
    }),
    'X-Correlation-Id': 'context.requestId',
  };
  const inResponse = (value: (header: string) => string | boolean) =>
    Object.fromEntries(Object.keys(headers).map((name) => [`method.response.header.${name}`, value(name)]));
  const statusCode = '405';
  const body = problemTemplate(app, {
    code: 'method-not-allowed',
    title: 'Method not allowed',
    status: 405,
    detail: 'The Allow header names the methods of this path.',
  });
  const integration = new MockIntegration({
    // With passthrough, a body of another type would be read as the answer's template and cause a 500. Without it the
    // answer is 415.
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': `{"statusCode":${statusCode}}` },
    integrationResponses: [
      {
        statusCode,
        responseParameters: inResponse((name) => headers[name] ?? '') as Record<string, string>,
        responseTemplates: { 'application/json': body },
      },
    ],
  });
  const method = path.addMethod('ANY', integration, {
    authorizationType: AuthorizationType.NONE,
    methodResponses: [{ statusCode, responseParameters: inResponse(() => true) as Record<string, boolean> }],
  });
  Validations.of(method).acknowledge({
    id: 'AwsSolutions-APIG4',
    reason: 'Which methods a path has is the same for everybody; whoever asks for another one gets nothing else.',
  });
}
