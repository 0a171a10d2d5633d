import type { CommandInput } from '../cli/command.js';
import { parseTimeSpan } from '../cli/text-format.js';

/** Maximum number of rows that one list reads. */
const MAX_LIMIT = 1_000;

/**
 * Reads the option `--limit` of a list.
 * @throws {OperatorError} `wrong(...)` if it is not 1 to 1000
 */
export function parseLimit(text: string, wrong: CommandInput['wrong']): number {
  const limit = Number(text);
  if (!/^\d{1,4}$/.test(text) || limit < 1 || limit > MAX_LIMIT)
    throw wrong(`--limit is '${text}': expected 1 to ${MAX_LIMIT}.`);
  return limit;
}

/** Maximum number of messages that one command sends per second. */
export const MAX_RATE = 100;

/**
 * Reads the option `--rate` of a command that sends messages: messages per second.
 * @throws {OperatorError} `wrong(...)` if it is not 1 to 100
 */
export function parseRate(text: string, wrong: CommandInput['wrong']): number {
  const rate = Number(text);
  if (!/^\d{1,3}$/.test(text) || rate < 1 || rate > MAX_RATE)
    throw wrong(`--rate is '${text}': expected 1 to ${MAX_RATE}.`);
  return rate;
}

/**
 * Checks the beginning of the id of a group or a cause.
 * @param option that has it. @default it is a word of the command
 * @throws {OperatorError} `wrong(...)`
 */
export function requireId(
  what: 'group' | 'cause',
  text: string,
  wrong: CommandInput['wrong'],
  option: string = `the ${what}`,
): void {
  if (!/^[0-9a-f]{4,16}$/.test(text))
    throw wrong(`${option} is '${text}': expected 4 to 16 hexadecimal digits, as 'failures ${what}s' prints.`);
}

/**
 * Reads the options of a command over a group, or over a cause.
 * @param given the first word of the command, which a group excludes, and what it would name
 * @throws {OperatorError} `wrong(...)`
 */
export function parseGroup(
  name: string,
  given: { readonly group: string | undefined; readonly cause?: string | undefined; readonly rate: string },
  { word, one }: { readonly word: string | undefined; readonly one: string },
  wrong: CommandInput['wrong'],
) {
  const { group, cause, rate } = given;
  const ways = 'cause' in given ? '--cause or --group' : '--group';
  if (word !== undefined) throw wrong(`'${name}' takes ${one}, or ${ways}: expected one of them.`);
  if (group !== undefined && cause !== undefined)
    throw wrong(`'${name}' takes --cause or --group: expected one of them.`);
  const what = cause === undefined ? 'group' : 'cause';
  const id = cause ?? group ?? '';
  requireId(what, id, wrong, `--${what}`);
  return { group: id, ...(what === 'cause' && { isCause: true }), rate: parseRate(rate, wrong) };
}

/** Most characters of what a note says, so that 1,000 notes are one query. */
const MAX_NOTE = 500;

/** Reads what a note says; an empty text removes it. @throws {OperatorError} `wrong(...)` */
export function noteIn(name: string, text: string, wrong: CommandInput['wrong']): string {
  const said = text.trim().replace(/\s+/g, ' ');
  if (said.length > MAX_NOTE) throw wrong(`--${name} has ${said.length} characters: expected at most ${MAX_NOTE}.`);
  return said;
}

/**
 * Reads an option that is a time, as ISO 8601, UTC.
 * @throws {OperatorError} `wrong(...)`
 */
export function timeOf(name: string, text: string | undefined, wrong: CommandInput['wrong']): string | undefined {
  if (text === undefined) return undefined;
  if (Number.isNaN(Date.parse(text))) throw wrong(`--${name} is '${text}': expected a time, as 2026-12-01T08:00:00Z.`);
  return new Date(text).toISOString();
}

/**
 * Reads an option that is a time span, as seconds.
 * @param example what the mistake names
 * @throws {OperatorError} `wrong(...)`
 */
export function parseSpan(name: string, text: string, example: string, wrong: CommandInput['wrong']): number {
  const seconds = parseTimeSpan(text);
  if (seconds === undefined) throw wrong(`--${name} is '${text}': expected a number with s, m, h or d, as ${example}.`);
  return seconds;
}

/** Reads the reason that a record keeps. @throws {OperatorError} `wrong(...)` */
export function reasonIn(name: string, reason: string | undefined, wrong: CommandInput['wrong']): string {
  const text = reason?.trim();
  if (!text) throw wrong(`'${name}' needs --reason: the record keeps it.`);
  return text;
}
