import { Api, type ApiProps, publicRoute, stackProps, tokenAuthorizer } from '@orderly/kit/constructs';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { getOpenApi } from '../lambdas/api/routes.js';

/** Requests per second for the document, from everybody together. */
const THROTTLE = { rate: 10, burst: 20 };

/** REST API of all services. The permissions to invoke their functions are in this stack. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id, stackProps(props.settings, id, 'REST API and authorizer'));
    // It is not inside the API, because a move would change the logical ids of the function and its log.
    const authorizer = tokenAuthorizer(this, 'Authorize', props);
    const document = publicRoute(this, 'OpenApi', {
      ...props,
      ...getOpenApi,
      entry: 'api/get-open-api',
      throttle: THROTTLE,
    });
    new Api(this, 'Api', { ...props, authorizer, publicRoutes: [document] });
  }
}
