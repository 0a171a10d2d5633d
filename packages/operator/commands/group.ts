import { type Given, rateOf } from '../cli/command.js';

/**
 * Reads the options of a command over a group.
 * @param given the first word of the command, which a group excludes, and what it would name
 * @throws {OperatorError} `usage`
 */
export function groupOf(
  name: string,
  group: string,
  { word, one }: { readonly word: string | undefined; readonly one: string },
  rate: string,
  wrong: Given['wrong'],
) {
  if (word !== undefined) throw wrong(`'${name}' takes ${one}, or --group: expected one of them.`);
  if (!/^[0-9a-f]{4,16}$/.test(group)) {
    throw wrong(`--group is '${group}': expected 4 to 16 hexadecimal digits, as 'failures groups' prints.`);
  }
  return { group, rate: rateOf(rate, wrong) };
}

/**
 * Reads the option `--before`.
 * @returns ISO 8601, UTC
 * @throws {OperatorError} `usage`
 */
export function timeBefore(before: string | undefined, wrong: Given['wrong']): string | undefined {
  if (before === undefined) return undefined;
  if (Number.isNaN(Date.parse(before))) {
    throw wrong(`--before is '${before}': expected a time, as 2026-12-01T08:00:00Z.`);
  }
  return new Date(before).toISOString();
}
