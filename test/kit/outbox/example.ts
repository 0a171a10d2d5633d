// The example of the pattern's README, word for word from here on.
import { putNew } from '@orderly/kit/aws';
import { buildCommitItem, type Trace } from '@orderly/kit/messages';
import * as z from 'zod/mini';

export const ticketsContract = {
  service: 'tickets',
  events: {
    TicketOpened: { version: 1, data: z.object({ ticketId: z.string(), subject: z.string() }) },
  },
} as const;

/** Shards of the feed, and since when; entries are added, never changed. */
const feedShards = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];

/** One conditional put is the change of state and the message. @throws {ItemExists} the ticket exists already */
export async function openTicket(table: string, ticketId: string, subject: string, trace: Trace): Promise<void> {
  const commit = buildCommitItem({
    contract: ticketsContract,
    aggregate: 'Ticket',
    id: ticketId,
    after: 0,
    events: [{ type: 'TicketOpened', data: { ticketId, subject } }],
    trace,
    feedShards,
  });
  await putNew({ TableName: table, Item: commit });
}
