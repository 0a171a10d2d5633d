import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { documents, ItemExists } from '../../../packages/kit/aws/dynamodb.js';
import { Commit } from '../../../packages/kit/messages/commit.js';
import { busEntries } from '../../../packages/kit/messages/envelope.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { traceOf } from '../../support/tally.js';
import { openTicket, ticketsContract } from './example.js';

test("the README's example writes one commit, which becomes one message", async () => {
  inProcessDynamoDb({ tickets: ['pk', 'sk'] });
  await openTicket('tickets', 't1', 'Lamp', traceOf('request'));
  await expect(openTicket('tickets', 't1', 'Lamp', traceOf('another'))).rejects.toBeInstanceOf(ItemExists);
  const Key = { pk: 'Ticket#t1', sk: 'COMMIT#0000000001' };
  const { Item } = await documents.send(new GetCommand({ TableName: 'tickets', Key }));
  const entries = busEntries(Commit.parse(Item), { app: 'shop', service: ticketsContract.service });
  expect(entries).toMatchObject([{ Source: 'shop.tickets', DetailType: 'TicketOpened' }]);
});
