import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { APPROVED_STATES, type StateShape } from './folded-states.js';

type Event = { readonly type: string; readonly data?: { readonly outcome?: string; readonly reason?: string } };

/** Returns the types of what is decided as text, or the code of the refusal. */
export function describeOutcome(decide: () => unknown): string {
  try {
    const said = (decide() as readonly Event[]).map(({ type, data: { outcome, reason } = {} }) =>
      type === 'SagaReplyRequested' ? [outcome, reason].filter(Boolean).join(' ') : type,
    );
    return said.join(' + ') || '-';
  } catch (error) {
    return `!${(error as { readonly code: string }).code}`;
  }
}

const splitCells = (line: string): readonly string[] => line.split('|').map((cell) => cell.trim());

/** Statuses of each folded state, by the name of its evolution. */
const approved = JSON.parse(readFileSync(APPROVED_STATES, 'utf8')) as Readonly<Record<string, StateShape>>;

/**
 * Declares a test for each cell of a table.
 * @param rules name of the evolution whose statuses the table has; a status may have several columns: `UNDER_REVIEW, paid`
 */
export function declareTableTests<Command>(
  rules: string,
  table: string,
  states: Readonly<Record<string, unknown>>,
  commands: Readonly<Record<string, Command>>,
  decide: (state: never, command: Command) => unknown,
): void {
  const [header = '', ...rows] = table.trimEnd().split('\n').slice(1);
  const [, ...columns] = splitCells(header);

  test('a status table has a column for each status, and a row for each command', () => {
    const statuses = new Set(columns.map((column) => column.split(', ')[0]));
    expect(statuses).toEqual(new Set(Object.keys(approved[rules]?.shapes ?? {})));
    expect(columns).toEqual(Object.keys(states));
    expect(rows.map((row) => splitCells(row)[0])).toEqual(Object.keys(commands));
  });

  test.each(rows.map((row) => [splitCells(row)[0] ?? '', row]))('%s', (name, row) => {
    const decided = columns.map((column) => describeOutcome(() => decide(states[column] as never, commands[name]!)));
    expect(Object.fromEntries(columns.map((column, at) => [column, decided[at]]))).toEqual(
      Object.fromEntries(columns.map((column, at) => [column, splitCells(row)[at + 1]])),
    );
  });
}
