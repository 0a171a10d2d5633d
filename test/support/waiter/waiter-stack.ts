import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { settingsFor } from '../../../lib/settings.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { acknowledgeCompliance } from '../../../packages/kit/base/acknowledge.js';
import {
  FUNCTION_ACKNOWLEDGEMENTS,
  type ServiceContext,
  ServiceFunction,
  type ServiceFunctionProps,
} from '../../../packages/kit/base/service-function.construct.js';
import { recordsTable, tableDefaults } from '../../../packages/kit/base/tables.construct.js';
import { IdempotentConsumer } from '../../../packages/kit/idempotent-consumer/idempotent-consumer.construct.js';
import { Timers } from '../../../packages/kit/timers/timers.construct.js';
import { WAITER, waiterCommands, waiterContract } from './contract.js';

const settings = settingsFor('dev');

/** An owner of timers with its table, behind a bus: what a service's stack has, without the API and the outbox. */
export class WaiterStack extends Stack {
  readonly handler: ServiceFunction;

  constructor(app: App, bundles: ServiceContext['bundles'], props: Pick<ServiceFunctionProps, 'timeout'> = {}) {
    super(app, 'Waiter');
    const bus = new EventBus(this, 'Bus');
    const alarmTopic = new Topic(this, 'Alarms', { enforceSSL: true });
    acknowledgeCompliance(this, { ...FUNCTION_ACKNOWLEDGEMENTS, SNSEncryptedKMS: 'A topic of tests.' });
    const records = recordsTable(this, 'Records', settings);
    const table = new TableV2(this, 'Table', {
      ...tableDefaults(settings),
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
    });
    this.handler = new ServiceFunction(this, 'OnCommand', {
      context: { service: waiterContract.service, settings, bundles },
      entry: 'waiter/on-command',
      environment: { [Env.TABLE]: table.tableName },
      ...props,
    });
    this.handler.grantItems(table, ['GetItem', 'UpdateItem'], 'Waiter#');
    const owner = new IdempotentConsumer(this, 'Commands', {
      name: WAITER.name,
      bus,
      subscribesTo: [waiterCommands],
      handler: this.handler,
      records,
      alarmTopic,
    });
    new Timers(this, 'Timers', { owner, alarmTopic });
    new CfnOutput(this, 'BusName', { value: bus.eventBusName });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'RecordsName', { value: records.tableName });
  }
}
