import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { documentClient, ItemExists } from '../../../packages/kit/aws/dynamodb.js';
import { Commit } from '../../../packages/kit/messages/commit.js';
import { toBusEntries } from '../../../packages/kit/messages/envelope.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace } from '../../support/tally.js';
import { openTicket, ticketsContract } from './example.js';

test("the README's example writes one commit, which becomes one message", async () => {
  inProcessDynamoDb({ tickets: ['pk', 'sk'] });
  await openTicket('tickets', 't1', 'Lamp', buildTrace('request'));
  await expect(openTicket('tickets', 't1', 'Lamp', buildTrace('another'))).rejects.toBeInstanceOf(ItemExists);
  const Key = { pk: 'Ticket#t1', sk: 'COMMIT#0000000001' };
  const { Item } = await documentClient.send(new GetCommand({ TableName: 'tickets', Key }));
  const entries = toBusEntries(Commit.parse(Item), { app: 'shop', service: ticketsContract.service });
  expect(entries).toMatchObject([{ Source: 'shop.tickets', DetailType: 'TicketOpened' }]);
});
