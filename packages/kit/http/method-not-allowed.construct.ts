import { Validations } from 'aws-cdk-lib';
import { AuthorizationType, type IResource, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway';
import { ANSWER_HEADERS } from './answer-headers.js';
import { problemTemplate, quoted } from './gateway-responses.construct.js';

/**
 * Answers every method that a path doesn't have: 405 with the ones that it has (RFC 9110, 15.5.6). So do `HEAD` and
 * `OPTIONS`: nothing here is for browsers of other origins, so no answer has a header of CORS.
 *
 * The gateway answers by itself: no function is invoked, and no token is asked for (the paths are no secret).
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
    // Passed through, a body of another type would be read as the template of the answer, and be a 500: it is 415.
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
