// The example of the pattern's README, word for word from here on.

import { Outbox, recordsTable, type ServiceContext } from '@orderly/kit/constructs';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

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
