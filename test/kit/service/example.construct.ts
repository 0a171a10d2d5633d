import { openedTickets } from '../idempotent-consumer/example.js';

// The example of the pattern's README, word for word from here on.

import { Api, type Bundles, developmentSettings, Platform, Service, stackProps } from '@orderly/kit/constructs';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

const settings = developmentSettings({
  app: { name: 'tickets', roles: ['agent', 'visitor'], operatorRoles: ['agent'] },
  auth: { issuer: 'https://login.example.com', audience: 'tickets' },
});

/** Two services and what they share, in one stack. */
export class TicketsStack extends Stack {
  constructor(scope: Construct, bundles: Bundles) {
    super(scope, 'Tickets', stackProps(settings, 'Tickets', 'the whole application'));
    const { bus, alarmTopic } = new Platform(this, 'Platform', { settings });
    const common = { settings, bundles, bus, alarmTopic };

    const board = new Service(this, 'Board', { ...common, name: 'board' });
    board.grantAppend(
      board.addEndpoint('OpenTicket', { method: 'POST', path: '/tickets' }, 'board/open-ticket'),
      'Ticket',
    );

    const desk = new Service(this, 'Desk', { ...common, name: 'desk' });
    const onTicket = desk.addConsumer('Tickets', {
      name: 'desk-tickets',
      entry: 'desk/on-ticket',
      subscribesTo: [openedTickets],
    });
    onTicket.grantItems(desk.table, ['UpdateItem'], 'Desk#');

    new Api(this, 'Api', { ...common, services: [board, desk] });
  }
}
