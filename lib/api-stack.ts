import { Api, type ApiProps, stackProps, tokenAuthorizer } from '@orderly/kit/constructs';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** The one address of all services. The permissions to call a service's functions are in this stack. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id, stackProps(props.settings, id, 'REST API and authorizer'));
    // Beside the API, not inside it: a function that moves gets another logical id, and so does its log.
    const authorizer = tokenAuthorizer(this, 'Authorize', props);
    new Api(this, 'Api', { ...props, authorizer });
  }
}
