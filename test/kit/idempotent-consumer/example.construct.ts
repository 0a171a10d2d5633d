import { openedTickets } from './example.js';

// The example of the pattern's README, word for word from here on.

import { type EnvironmentProps, Service } from '@orderly/kit/constructs';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Rule, queue, dead letters, drain and alarms come with the consumer. */
export class DeskStack extends Stack {
  constructor(scope: Construct, id: string, props: EnvironmentProps) {
    super(scope, id);
    const desk = new Service(this, 'Desk', { ...props, name: 'desk' });
    const handler = desk.addConsumer('Tickets', {
      name: 'desk-tickets',
      entry: 'desk/on-ticket',
      subscribesTo: [openedTickets],
    });
    handler.grantItems(desk.table, ['UpdateItem'], 'Desk#');
  }
}
