import type { HistoryEntry } from '@orderly/kit/event-store';
import type { Caller } from '@orderly/kit/http';
import type { Role } from '../app.js';
import type { OrderView } from './contract.js';

/** Returns an order as this caller may see it: customers don't see why their order is reviewed. */
export function viewForRole({ role }: Pick<Caller<Role>, 'role'>, order: OrderView): OrderView {
  if (role === 'operator') return order;
  const { reviewReasons: _, ...view } = order;
  return view;
}

/**
 * Returns an order's history as this caller may see it: customers see that there was a review, and neither its reasons
 * nor the operator's note. Take it before the events are opened, so that the note isn't decrypted.
 */
export const redactHistory = (
  { role }: Pick<Caller<Role>, 'role'>,
  entries: readonly HistoryEntry[],
): readonly HistoryEntry[] =>
  role === 'operator'
    ? entries
    : entries.map((entry) => {
        const { type, data } = entry;
        if (type !== 'OrderReviewStarted' && type !== 'OrderReviewEnded') return entry;
        const { reasons: _, sealedNote: __, ...shown } = data as Readonly<Record<string, unknown>>;
        return { ...entry, data: shown };
      });
