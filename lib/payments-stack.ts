import type { PersonalKeys } from '@orderly/kit/constructs';
import {
  acknowledgeNoRestore,
  addPeopleIndex,
  alarm,
  type EnvironmentProps,
  metricsNamespace,
  pinLogicalId,
  Service,
  type ServiceFunction,
  serviceMetric,
  stackProps,
  tableDefaults,
} from '@orderly/kit/constructs';
import { aggregateKeyPrefix } from '@orderly/kit/messages';
import { Annotations, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { AppEnv } from '../lambdas/environment.js';
import { paymentsContract, STRIPE_CUSTOMERS } from '../lambdas/payments/contract.js';
import { PaymentsEnv } from '../lambdas/payments/environment.js';
import {
  ACCOUNT_COPIES,
  DAILY_COUNTS,
  PAYER,
  PAYMENT,
  PAYMENT_METHODS,
  SANDBOX_KEYS,
  SANDBOX_OBJECTS,
  SANDBOX_TALLIES,
} from '../lambdas/payments/keys.js';
import { PaymentsMetric } from '../lambdas/payments/metrics.js';
import * as routes from '../lambdas/payments/routes.js';
import {
  accountStatuses,
  orderEnds,
  providerTasks,
  stepCommands,
  userErasures,
} from '../lambdas/payments/subscriptions.js';
import type { Settings } from './settings.js';

/** Name of the consumer, and prefix of the guard's records. The run time reads it from the consumer's environment. */
const PROVIDER_CONSUMER = 'payments-provider';

/**
 * Timeout of a batch of the provider's consumer. Creating a payment takes up to four calls of Stripe with a timeout of 5 s
 * each (`stripe-provider.ts`), and a read and a write of the stored Stripe customer. A shorter timeout would be safe, but
 * could stop the function at the same place in each attempt.
 */
const PROVIDER_TIMEOUT = Duration.seconds(30);

export interface PaymentsStackProps extends EnvironmentProps {
  readonly settings: Settings;
  readonly personalKeys: PersonalKeys;
}

/**
 * Service `payments`: customers and orders' sagas request payments. A provider charges and refunds each of them once.
 */
export class PaymentsStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: PaymentsStackProps) {
    const name = paymentsContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const service = new Service(this, 'Default', { ...props, name });
    this.service = service;
    const { settings } = props;
    const { table } = service;
    addPeopleIndex(table);

    const requestPayment = service.addEndpoint('RequestPayment', routes.requestPayment, 'payments/request-payment');
    service.grantAppend(requestPayment, PAYMENT);
    const getPayment = service.addEndpoint('GetPayment', routes.getPayment, 'payments/get-payment');
    service.grantLoad(getPayment, PAYMENT);
    const refundPayment = service.addEndpoint('RefundPayment', routes.refundPayment, 'payments/refund-payment');
    service.grantEffect(refundPayment, PAYMENT);
    service.grantRequestRecords(refundPayment);
    props.personalKeys.grantEncrypt(requestPayment);
    requestPayment.grantItems(table, ['GetItem'], ACCOUNT_COPIES);
    for (const handler of [getPayment, refundPayment]) props.personalKeys.grantDecrypt(handler);
    service.addSessions(routes.openSession.path, [requestPayment, refundPayment]);
    for (const handler of [requestPayment, refundPayment]) {
      handler.grantItems(service.records, ['UpdateItem'], DAILY_COUNTS);
      handler.setEnvironment(AppEnv.CUSTOMER_LIMITS, JSON.stringify(settings.customerLimits));
    }

    const commands = service.addConsumer('Commands', {
      name: 'payments-commands',
      entry: 'payments/on-command',
      subscribesTo: [stepCommands],
    });
    service.grantEffect(commands, PAYMENT);

    const cancelling = service.addConsumer('Cancellations', {
      name: 'payments-orders',
      entry: 'payments/on-order-event',
      subscribesTo: [orderEnds],
    });
    service.grantEffect(cancelling, PAYMENT);

    // Also without Stripe: an environment that changes its provider may still have entries.
    service
      .addConsumer('Forgettings', {
        name: 'payments-users',
        entry: 'payments/on-user-event',
        subscribesTo: [userErasures],
      })
      .grantItems(table, ['DeleteItem'], STRIPE_CUSTOMERS, PAYMENT_METHODS);

    service
      .addConsumer('Accounts', {
        name: 'payments-accounts',
        entry: 'payments/on-account-event',
        subscribesTo: [accountStatuses],
      })
      .grantItems(table, ['GetItem', 'PutItem', 'ConditionCheckItem'], ACCOUNT_COPIES);

    const charging = service.addConsumer('Provider', {
      name: PROVIDER_CONSUMER,
      entry: `payments/charge-at-${settings.payments.provider}`,
      timeout: PROVIDER_TIMEOUT,
      subscribesTo: [providerTasks],
      maxConcurrency: settings.orders.providerConcurrency,
    });
    service.grantEffect(charging, PAYMENT);
    charging.grantItems(table, ['GetItem', 'PutItem'], aggregateKeyPrefix(PAYER), PAYMENT_METHODS);
    const guard = this.createTable('Guard', settings);
    charging.setEnvironment(PaymentsEnv.GUARD, guard.tableName);
    charging.grantItems(guard, ['PutItem', 'UpdateItem', 'DeleteItem'], `${PROVIDER_CONSUMER}#`);
    this.configureProvider(charging, settings);
    alarm(service, 'RefundFailed', {
      metric: serviceMetric(metricsNamespace(settings), paymentsContract.service, PaymentsMetric.REFUNDS_FAILED),
      threshold: 1,
      means: 'the provider refused a refund permanently: the customer has not got the money back.',
      severity: 'ticket',
      topic: props.alarmTopic,
    });
  }

  /** Sets the variables and permissions that the chosen provider needs. */
  private configureProvider(charging: ServiceFunction, settings: Settings): void {
    const { payments, keepsData, environment } = settings;
    if (payments.provider === 'stripe') {
      charging.setEnvironment(PaymentsEnv.STRIPE_SECRET, payments.secretParameter);
      charging.grantItems(this.service.table, ['GetItem', 'PutItem'], STRIPE_CUSTOMERS);
      charging.grantActions(
        ['ssm:GetParameter'],
        Stack.of(this).formatArn({
          service: 'ssm',
          resource: 'parameter',
          resourceName: payments.secretParameter.slice(1),
        }),
      );
      return;
    }
    if (keepsData) {
      Annotations.of(this).addWarningV2(
        'orderly:no-money',
        `payments of '${environment}' go to the sandbox: no money is moved`,
      );
    }
    const sandbox = this.createTable('Sandbox', settings);
    charging.setEnvironment(PaymentsEnv.SANDBOX, sandbox.tableName);
    charging.grantItems(sandbox, ['GetItem', 'PutItem', 'UpdateItem'], SANDBOX_KEYS, SANDBOX_OBJECTS, SANDBOX_TALLIES);
    new CfnOutput(this, 'SandboxName', { value: sandbox.tableName });
  }

  private createTable(id: string, settings: Settings): TableV2 {
    const table = new TableV2(this, id, {
      ...tableDefaults(settings),
      partitionKey: { name: 'pk', type: AttributeType.STRING },
    });
    pinLogicalId(table, this, id);
    acknowledgeNoRestore(table, settings);
    return table;
  }
}
