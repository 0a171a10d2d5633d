import { Api, type ApiProps, publicRoute, stackProps, tokenAuthorizer } from '@orderly/kit/constructs';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { getOpenApi } from '../lambdas/api/routes.js';
import type { Settings } from './settings.js';
import { SyntheticOrders } from './synthetic-orders.js';

/** Requests per second for the document, from everybody together. */
const THROTTLE = { rate: 10, burst: 20 };

export interface ApiStackProps extends ApiProps {
  readonly settings: Settings;
}

/**
 * REST API of all services. The permissions to invoke their functions are in this stack, and so is the function that places synthetic
 * orders: it begins after all services know whose orders they leave out, since this stack is deployed after theirs.
 */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, stackProps(props.settings, id, 'REST API and authorizer'));
    // It is not inside the API, because a move would change the logical ids of the function and its log.
    const authorizer = tokenAuthorizer(this, 'Authorize', props);
    const document = publicRoute(this, 'OpenApi', {
      ...props,
      ...getOpenApi,
      entry: 'api/get-open-api',
      throttle: THROTTLE,
    });
    const { settings, bundles, alarmTopic } = props;
    const { syntheticOrder } = settings;
    const isRun = syntheticOrder !== undefined && syntheticOrder.paused !== true;
    const api = new Api(this, 'Api', {
      ...props,
      authorizer,
      publicRoutes: [document],
      ...(isRun && { isOnePage: true }),
    });
    if (isRun)
      new SyntheticOrders(api, 'SyntheticOrders', { settings, bundles, alarmTopic, api, order: syntheticOrder });
  }
}
