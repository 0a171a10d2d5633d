import { Validations } from 'aws-cdk-lib';
import { AuthorizationType, type IResource, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway';

/** Answer of the gateway itself: to each request of a method the same status. */
export interface MockAnswer {
  readonly status: number;
  /** Values by the names of headers, as the gateway reads them: `'GET, POST'` in quotes, or `context.requestId`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Mapping template of the body. */
  readonly template: string;
  /** Reason why the method needs no token. */
  readonly reason: string;
}

/** Quotes the values of headers, as API Gateway requires for literal values. */
export const quoteValues = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

/** Adds a method that the gateway answers by itself. It invokes no function and asks for no token. */
export function addMockMethod(
  path: IResource,
  method: string,
  { status, headers, template, reason }: MockAnswer,
): void {
  const inResponse = (value: (header: string) => string | boolean) =>
    Object.fromEntries(Object.keys(headers).map((name) => [`method.response.header.${name}`, value(name)]));
  const statusCode = String(status);
  const integration = new MockIntegration({
    // With passthrough, a body of another type would be read as the answer's template and cause a 500. Without it the
    // answer is 415.
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': `{"statusCode":${statusCode}}` },
    integrationResponses: [
      {
        statusCode,
        responseParameters: inResponse((name) => headers[name] ?? '') as Record<string, string>,
        responseTemplates: { 'application/json': template },
      },
    ],
  });
  const added = path.addMethod(method, integration, {
    authorizationType: AuthorizationType.NONE,
    methodResponses: [{ statusCode, responseParameters: inResponse(() => true) as Record<string, boolean> }],
  });
  Validations.of(added).acknowledge({ id: 'AwsSolutions-APIG4', reason });
}
