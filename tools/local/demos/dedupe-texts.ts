import type { Handled } from '../consumer-logs.js';
import type { Worked } from './naive-consumer.js';
import { timeOf } from './stage.js';

/** Work of three consumers. */
export interface Compared {
  readonly naive: readonly Worked[];
  readonly powertools: readonly Worked[];
  readonly ours: { readonly name: string; readonly handled: readonly Handled[] };
}

/** Formats what each consumer did with each delivery of some commands. */
export function renderDeliveries(ids: ReadonlySet<string>, { naive, powertools, ours }: Compared): readonly string[] {
  const line = (name: string, { id, at, what }: Worked): string => `${timeOf(at)}  ${name}  ${id.slice(-8)}  ${what}`;
  const lines = (name: string, worked: readonly Worked[]): readonly string[] =>
    worked.filter(({ id }) => ids.has(id)).map((one) => line(name.padEnd(ours.name.length), one));
  const handled = ours.handled.map(({ eventId, at, outcome }) => ({ id: eventId, at, what: OUTCOMES[outcome] }));
  return [...lines('naive', naive), ...lines('Powertools', powertools), ...lines(ours.name, handled)];
}

const OUTCOMES = { applied: 'applied', duplicate: 'duplicate: nothing changed' } as const;

/** Formats the pieces that are left at each consumer: after the orders, after the duplicates, after the crash. */
export function columns(left: readonly (readonly number[])[], ours: string): readonly string[] {
  const names = ['naive consumer', 'Powertools idempotency', ours];
  const width = Math.max(...names.map(({ length }) => length));
  const heads = ['after the orders', 'after the duplicates', 'after one more, with a crash'];
  const row = (name: string, cells: readonly (string | number)[]): string =>
    [name.padEnd(width), ...cells.map((cell, at) => String(cell).padStart(heads[at]?.length ?? 0))].join('   ');
  return [
    row('', heads),
    ...names.map((name, at) =>
      row(
        name,
        left.map((one) => one[at] ?? 0),
      ),
    ),
  ];
}
