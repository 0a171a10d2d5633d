import type { Handled } from './consumer-logs.js';
import type { NaiveConsumer } from './naive-consumer.js';

export interface Comparison {
  readonly orders: number;
  /** Pieces before the orders. */
  readonly stock: number;
  readonly naive: { readonly left: number; readonly handled: NaiveConsumer['handled'] };
  readonly ours: { readonly consumer: string; readonly left: number; readonly handled: readonly Handled[] };
}

/** Formats the stock of both consumers, and what their logs say of each delivery. */
export function comparison({ orders, stock, naive, ours }: Comparison): string {
  const row = (name: string, left: number, what: string): string =>
    `  ${name.padEnd(20)}  ${stock} -> ${left}   (${stock - left} pieces ${what})`;
  const line = (at: string, id: string, what: string): string => `  ${timeOf(at)}  ${id}  ${what}`;
  return `
Stock of ${stock}, ${orders} orders of one piece, every ReserveStock command delivered twice:

${row('naive consumer', naive.left, 'gone')}
${row('idempotent consumer', ours.left, 'reserved')}

Log of the naive consumer:
${naive.handled.map(({ id, at, took, left }) => line(at, id, `took ${took}, ${left} left`)).join('\n')}

Log of the idempotent consumer '${ours.consumer}', which guards the stock:
${ours.handled.map(({ at, eventId, outcome }) => line(at, eventId, OUTCOMES[outcome])).join('\n')}`;
}

const OUTCOMES = { applied: 'applied', duplicate: 'duplicate: nothing changed' } as const;

/** Returns the time of day, UTC. */
const timeOf = (at: string): string => at.slice(11, 23);
