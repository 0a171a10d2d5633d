import type { Construct } from 'constructs';
import { ServiceStack, type ServiceStackProps } from '../../../packages/kit/service/service-stack.js';
import { openedTickets } from './example.js';

// The example of the pattern's README, word for word from here on.
/** Rule, queue, dead letters, drain and alarms come with the consumer. */
export class DeskStack extends ServiceStack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, 'desk', props);
    const handler = this.consumer('Tickets', {
      name: 'desk-tickets',
      entry: 'desk/on-ticket',
      hears: [openedTickets],
    });
    handler.grantItems(this.table, ['UpdateItem'], 'Desk#');
  }
}
