import type { AccountEvent } from '../contract.js';
import { type Account, evolveAccount, isExhausted } from './account.js';

/**
 * Adds to the events of one decision that they change an account without available credit: that it has none from now on, still
 * has none but other sums, or has some again. So whoever lists such accounts needs no other event, and the events of all other
 * accounts cost nothing there.
 * @param account the account before the events
 */
export function withExhaustion(
  account: Account,
  customerId: string,
  events: readonly AccountEvent[],
): readonly AccountEvent[] {
  const after = events.reduce(evolveAccount, account);
  const exhausted = isExhausted(after);
  if (after === account || !(exhausted || isExhausted(account))) return events;
  return [...events, { type: 'ExhaustedAccountChanged', data: { customerId, exhausted } }];
}
