import type { Table } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import type { Envelope } from '@orderly/kit/messages';
import type { Payer } from './domain/review.js';
import { copyEffect, copyKey } from './user-copy.js';

/** Returns the write that stores what payments know of a user as a payer, unless a newer state is stored. */
export const payerEffect = (
  table: Table,
  userId: string,
  { declinedCharges, methodChangedAt }: Payer,
  envelope: Pick<Envelope, 'sequence' | 'epoch'>,
): Promise<Effect> => {
  const payer: Payer = { declinedCharges, ...(methodChangedAt === undefined ? {} : { methodChangedAt }) };
  return copyEffect(table, copyKey(userId, 'PAYER'), payer, envelope);
};

/** Reads this service's own copy of what payments know of a user as a payer, strongly consistent. */
export const readPayer = async (table: Table, userId: string): Promise<Payer> =>
  ((await table.read(copyKey(userId, 'PAYER'))) as Payer | undefined) ?? { declinedCharges: [] };
