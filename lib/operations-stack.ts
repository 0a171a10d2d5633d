import { type EnvironmentProps, type Service, stackProps } from '@orderly/kit/constructs';
import { OperatorApi } from '@orderly/operator/constructs';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { LISTED, TRACED } from '../lambdas/operations/keys.js';
import * as routes from '../lambdas/operations/routes.js';
import type { Settings } from './settings.js';

/** Other stacks that operators ask about: their alarms, and the watermarks of the delivery audit. */
const OTHER_STACKS = ['Platform', 'Api', 'Audit'];

export interface OperationsStackProps extends Pick<EnvironmentProps, 'bundles'> {
  readonly settings: Settings;
  readonly services: readonly Service[];
}

/** Routes by which operators ask about the system. The stack stores nothing: whoever deletes it loses the routes, and no data. */
export class OperationsStack extends Stack {
  readonly operations: OperatorApi;

  constructor(scope: Construct, id: string, props: OperationsStackProps) {
    const { settings } = props;
    super(scope, id, stackProps(settings, id, 'API of operators'));
    const otherStacks = OTHER_STACKS.map((name) => stackProps(settings, name, '').stackName);
    const operations = new OperatorApi(this, 'Default', { ...props, otherStacks });
    this.operations = operations;
    operations.addStatus('GetStatus', routes.getOperationsStatus, 'operations/get-status');
    operations.addFailures('GetFailures', routes.getFailureGroups, 'operations/get-failures');
    operations.addAudit('GetAudit', routes.getDeliveryAudit, 'operations/get-audit', TRACED.aggregates);
    operations.addTrace('GetTrace', routes.getTrace, 'operations/get-trace', TRACED);
    operations.addList('GetOrders', routes.getOrders, 'operations/get-orders', LISTED);
    operations.addAuditLog('GetAuditLog', routes.getOperatorsLog, 'operations/get-audit-log');
  }
}
