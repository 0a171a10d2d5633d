import type { AccountEvent } from '../../accounts/contract.js';
import type { RewardEntry } from '../contract.js';
import { toFullUnits } from './currencies.js';

/** Net amount that a customer paid for one order: captured, without what was refunded. */
export interface PaidOrder {
  readonly orderId: string;
  readonly amount: number;
  readonly currency: string;
}

/** Types of events that give or take points. */
export const COUNTED_TYPES = ['AuthorizationCaptured', 'AccountRefunded', 'BonusApplied'] as const;
export type CountedEvent = Extract<AccountEvent, { type: (typeof COUNTED_TYPES)[number] }>;

/** The entry that an event leads to, and the order that the event is about. */
export interface Counted {
  readonly entry: RewardEntry;
  readonly order?: PaidOrder;
}

/** Returns the order that an event changes; a bonus is about none. */
export const orderIdOf = (event: CountedEvent): string | undefined =>
  event.type === 'BonusApplied' ? undefined : event.data.orderId;

/**
 * Returns the entry of an event. One point is given per full unit of currency that an order costs. So a refund takes back
 * the difference, and all refunds of an order together take back what it gave, whatever its parts are.
 * @param at time of the event
 * @param order the order before this event; `undefined` if it is unknown
 */
export function buildEntry(event: CountedEvent, at: string, order: PaidOrder | undefined): Counted {
  if (event.type === 'BonusApplied') return { entry: { at, type: event.type, points: event.data.points } };
  const { orderId, amount } = event.data;
  const before = order ?? { orderId, amount: 0, currency: amount.currency };
  const change = event.type === 'AuthorizationCaptured' ? amount.amount : -amount.amount;
  // Accounts never refund more than was captured. If one did, it would take back no more points than there are.
  const after = { ...before, amount: Math.max(0, before.amount + change) };
  return {
    entry: { at, type: event.type, points: computePoints(after) - computePoints(before), orderId },
    order: after,
  };
}

const computePoints = ({ amount, currency }: PaidOrder): number => toFullUnits(amount, currency);
