import { clock, secondsBetween } from '@orderly/kit/aws';
import type { OrderView } from './contract.js';

/**
 * Seconds after its placing during which a request may wait for an order. Nearly all orders are decided within five. If a participant is
 * down, every order is pending: then requests don't hold functions for 20 seconds each, at the worst moment.
 */
const WAITED_FOR_SECONDS = 60;

/** Most seconds that a client is asked to wait before it reads again. */
const LONGEST_RETRY_SECONDS = 30;

type Placed = Pick<OrderView, 'status' | 'placedAt'>;

const ageOf = ({ placedAt }: Placed): number => secondsBetween(placedAt, clock.now());

/** Tells whether an order may soon be decided, so that a request may wait for it. */
export const isWorthWaiting = (order: Placed): boolean =>
  order.status === 'PENDING' && ageOf(order) < WAITED_FOR_SECONDS;

/**
 * Returns the header that says when to read an order again: nothing for one that is decided. The older the order is, the longer the time,
 * so a client that obeys reads a few times, however long a decision takes.
 */
export function retryHeaders(order: Placed): Readonly<Record<string, string>> {
  if (order.status !== 'PENDING') return {};
  return { 'Retry-After': String(Math.min(Math.max(Math.ceil(ageOf(order)), 1), LONGEST_RETRY_SECONDS)) };
}
