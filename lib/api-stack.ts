import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type Route, ServiceApi } from '../packages/kit/http/api.construct.js';
import { ServiceFunction } from '../packages/kit/service/service-function.construct.js';
import { type EnvironmentStackProps, stackProps, tokenEnvironment } from '../packages/kit/service/service-stack.js';

export interface ApiStackProps extends EnvironmentStackProps {
  readonly routes: readonly Route[];
  readonly alarmTopic: ITopic;
}

/** How long the authorizer takes at most where its environment is a new one; otherwise it takes milliseconds. */
const COLD_START_SECONDS = 0.4;

/** The one address of all services, and who may call it. The rights to call a service's functions are made here. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, { settings, bundles, routes, alarmTopic }: ApiStackProps) {
    super(scope, id, stackProps(settings, id, 'REST API and authorizer'));
    const authorizer = new ServiceFunction(this, 'Authorize', {
      context: { service: 'platform', settings, bundles },
      entry: 'kit/http/authorizer',
      reservedConcurrency: Math.ceil(settings.throttle.rate * COLD_START_SECONDS),
      environment: tokenEnvironment(settings),
    });
    const { api } = new ServiceApi(this, 'Api', { settings, routes, authorizer, alarmTopic });
    new CfnOutput(this, 'ApiId', { value: api.restApiId });
    new CfnOutput(this, 'ApiUrl', { value: api.url });
  }
}
