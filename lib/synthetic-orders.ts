import {
  type Api,
  alarmOnNone,
  type EnvironmentProps,
  metricsNamespace,
  Output,
  ServiceFunction,
  serviceMetric,
} from '@orderly/kit/constructs';
import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { RUN_SECONDS, type SyntheticOrderSource, SyntheticOrdersEnv } from '../lambdas/synthetic-orders/environment.js';
import { SYNTHETIC_ORDERS, SyntheticOrdersMetric } from '../lambdas/synthetic-orders/metrics.js';
import type { Settings } from './settings.js';
import type { SyntheticOrderSettings } from './synthetic-order-settings.js';

export interface SyntheticOrdersProps extends Pick<EnvironmentProps, 'bundles' | 'alarmTopic'> {
  readonly settings: Settings;
  /** API at which they are placed, by the address that customers use. */
  readonly api: Api;
  readonly order: SyntheticOrderSettings;
}

/** Time between two orders. */
const EVERY = Duration.minutes(5);
/** Runs without success that raise the alarm. */
const RUNS = 3;

/**
 * A synthetic order every five minutes: a function that places it, follows it and cancels it, as a customer would. It raises an alarm if
 * none of three came through: whatever the cause is, customers can't order either.
 */
export class SyntheticOrders extends Construct {
  constructor(scope: Construct, id: string, { settings, bundles, alarmTopic, api, order }: SyntheticOrdersProps) {
    super(scope, id);
    const { sku, tokenUrl, clientId, secretParameter, audience, scope: tokenScope } = order;
    const source: SyntheticOrderSource = {
      sku,
      // An account has the currency of its credit limit.
      currency: settings.defaultCreditLimit.currency,
      tokenUrl,
      clientId,
      secretParameter,
      ...(audience !== undefined && { audience }),
      ...(tokenScope !== undefined && { scope: tokenScope }),
    };
    const handler = new ServiceFunction(this, 'Place', {
      context: { service: SYNTHETIC_ORDERS, settings, bundles },
      entry: 'synthetic-orders/place-synthetic-order',
      timeout: Duration.seconds(RUN_SECONDS),
      environment: {
        [SyntheticOrdersEnv.API_URL]: api.url,
        [SyntheticOrdersEnv.SYNTHETIC_ORDER]: JSON.stringify(source),
      },
    });
    handler.grantActions(
      ['ssm:GetParameter'],
      Stack.of(this).formatArn({ service: 'ssm', resource: 'parameter', resourceName: secretParameter.slice(1) }),
    );
    this.schedule(handler);
    alarmOnNone(this, 'NoSyntheticOrder', {
      metric: serviceMetric(metricsNamespace(settings), SYNTHETIC_ORDERS, SyntheticOrdersMetric.SUCCEEDED).with({
        period: Duration.minutes(RUNS * EVERY.toMinutes()),
        statistic: 'sum',
      }),
      means: `no synthetic order was placed, approved and cancelled for ${RUNS * EVERY.toMinutes()} minutes: customers can probably not order either.`,
      topic: alarmTopic,
      followsBus: true,
    });
    // Tools find the functions of a stack by the ends of its outputs' keys.
    const functions = new CfnOutput(this, 'Functions', { value: Stack.of(this).toJsonString([handler.description]) });
    functions.overrideLogicalId(`${id}${Output.FUNCTIONS}`);
  }

  private schedule(handler: ServiceFunction): void {
    handler.function.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: EVERY });
    Validations.of(handler).acknowledge({
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason: 'A tick that fails has nothing in it to keep: the next run cancels what it left.',
    });
    const rule = new Rule(this, 'Schedule', {
      schedule: Schedule.rate(EVERY),
      targets: [new FunctionTarget(handler.function, { retryAttempts: 0, maxEventAge: EVERY })],
    });
    Validations.of(rule).acknowledge({
      id: 'Serverless-EventBusDLQ',
      reason: 'A tick that could not be delivered has nothing in it to keep; that no order comes is an alarm.',
    });
  }
}
