import type { Given } from '../cli/command.js';

/**
 * Reads an option that is a time, as ISO 8601, UTC.
 * @throws {OperatorError} `wrong(...)`
 */
export function timeOf(name: string, text: string | undefined, wrong: Given['wrong']): string | undefined {
  if (text === undefined) return undefined;
  if (Number.isNaN(Date.parse(text))) throw wrong(`--${name} is '${text}': expected a time, as 2026-12-01T08:00:00Z.`);
  return new Date(text).toISOString();
}
