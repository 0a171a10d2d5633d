import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { Outbox } from '../../../packages/kit/outbox/outbox.construct.js';
import type { ServiceContext } from '../../../packages/kit/service/service-function.construct.js';
import { recordsTable } from '../../../packages/kit/service/tables.construct.js';

// The example of the pattern's README, word for word from here on.
/** The table of tickets, with its stream, relay, failed batches and alarms. */
export class Tickets extends Construct {
  /** For the environment and the rights of the functions that write. */
  readonly table: TableV2;

  constructor(scope: Construct, id: string, context: ServiceContext, bus: EventBus, alarmTopic: ITopic) {
    super(scope, id);
    const records = recordsTable(this, 'Records', context.settings);
    this.table = new Outbox(this, 'Outbox', { context, bus, records, alarmTopic }).table;
  }
}
