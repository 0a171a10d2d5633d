import type { Bundles } from '@orderly/kit/constructs';
import { acknowledgeCompliance, FUNCTION_ACKNOWLEDGEMENTS, SettingsError } from '@orderly/kit/constructs';
import { Tags } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { AccountsStack } from './accounts-stack.js';
import { ApiStack } from './api-stack.js';
import { AuditStack } from './audit-stack.js';
import { BasketsStack } from './baskets-stack.js';
import { CatalogStack } from './catalog-stack.js';
import { InventoryStack } from './inventory-stack.js';
import { OperationsStack } from './operations-stack.js';
import { OrdersStack } from './orders-stack.js';
import { PaymentsStack } from './payments-stack.js';
import { PlatformStack } from './platform-stack.js';
import { ReportsStack } from './reports-stack.js';
import { RewardsStack } from './rewards-stack.js';
import type { Settings } from './settings.js';
import { UsersStack } from './users-stack.js';
import { WebhooksStack } from './webhooks-stack.js';

/** Concurrency that AWS keeps for functions without a reservation ("Configuring reserved concurrency for a function"). */
const MIN_UNRESERVED = 100;

export interface OrderlyEnvironmentProps {
  readonly settings: Settings;
  readonly bundles: Pick<Bundles, 'code'> & Partial<Pick<Bundles, 'traces'>>;
}

/**
 * All stacks of one environment. The `subscriptions.ts` of each service names the messages that it consumes.
 *
 * Services share only the bus and the people's keys: no stack of a service refers to the stack of another service.
 *
 * This is not a `cdk.Stage`: inside a stage, `cdk deploy --all` finds no stack, and `cdk synth` exits with 0 despite findings.
 */
export class OrderlyEnvironment extends Construct {
  constructor(scope: Construct, id: string, { settings, bundles }: OrderlyEnvironmentProps) {
    super(scope, id);
    const { bus, alarmTopic, personalKeys } = new PlatformStack(this, 'Platform', { settings, bundles }).platform;
    const common = { settings, bundles, bus, alarmTopic };
    const orders = new OrdersStack(this, 'Orders', { ...common, personalKeys });
    const inventory = new InventoryStack(this, 'Inventory', common);
    const accounts = new AccountsStack(this, 'Accounts', { ...common, personalKeys });
    const payments = new PaymentsStack(this, 'Payments', { ...common, personalKeys });
    const catalog = new CatalogStack(this, 'Catalog', common);
    const users = new UsersStack(this, 'Users', { ...common, personalKeys });
    const baskets = new BasketsStack(this, 'Baskets', common);
    const rewards = new RewardsStack(this, 'Rewards', common);
    const reports = new ReportsStack(this, 'Reports', common);
    const webhooks =
      settings.webhooks === 'on' ? [new WebhooksStack(this, 'Webhooks', { ...common, personalKeys })] : [];
    const services = [
      orders,
      inventory,
      accounts,
      payments,
      catalog,
      baskets,
      users,
      rewards,
      reports,
      ...webhooks,
    ].map(({ service }) => service);
    new AuditStack(this, 'Audit', { settings, bundles, alarmTopic, services });
    const { operations } = new OperationsStack(this, 'Operations', { settings, bundles, services });
    new ApiStack(this, 'Api', { ...common, services: [...services, operations] });
    acknowledgeCompliance(this, FUNCTION_ACKNOWLEDGEMENTS);
    Tags.of(this).add('orderly:environment', settings.environment);
    this.checkConcurrency(settings);
  }

  /** Refuses too many reservations. CloudFormation would refuse them too, but in the middle of a deployment. */
  private checkConcurrency({ concurrency, environment }: Settings): void {
    if (typeof concurrency !== 'number') return;
    const reserved = this.node
      .findAll()
      .filter((construct) => construct instanceof CfnFunction)
      .reduce((sum, { reservedConcurrentExecutions = 0 }) => sum + reservedConcurrentExecutions, 0);
    if (reserved + MIN_UNRESERVED > concurrency) {
      throw new SettingsError(
        `the functions of '${environment}' reserve ${reserved} executions at once, and AWS keeps ${MIN_UNRESERVED} unreserved: concurrency is ${concurrency}, take ${reserved + MIN_UNRESERVED} or more (a higher quota of AWS Lambda), or 'small', which fits into an account of 10 and admits fewer orders (-c concurrency=small)`,
      );
    }
  }
}
