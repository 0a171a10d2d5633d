import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import type { FunctionDescription } from '@orderly/kit/internal/base/outputs.js';
import type { ErrorLine } from './error-lines.js';
import type { CallMinute } from './function-calls.js';
import type { FailingFunction, FunctionKind } from './status-facts.js';

/** Facts that were read about a function. */
export interface ReadFunction {
  readonly description: FunctionDescription;
  readonly kind: FunctionKind;
  /** Newest minute first. */
  readonly minutes: readonly CallMinute[];
  /** Oldest first. */
  readonly lines: readonly ErrorLine[];
  readonly isRetry: (line: ErrorLine) => boolean;
  readonly oldestSeconds?: number | undefined;
  /** Seconds for which a message is tried. */
  readonly triedForSeconds?: number | undefined;
}

/**
 * Failed calls in a row from which on a function counts as failing each time. A message, a record or a tick comes again by itself, so a
 * success follows an error that has passed. Nobody repeats a request for sure.
 */
const IN_A_ROW: Readonly<Partial<Record<FunctionKind, number>>> = { endpoint: 3, other: 3 };

const MINUTE_MS = 60_000;

/**
 * Judges the calls of a function: how many failed, and since when each of them did. It is a pure function.
 *
 *     calls      4  2  0  3  6
 *     failed     0  1  0  3  6
 *     failing             since here, nine in a row
 */
export function judgeFunction(read: ReadFunction): FailingFunction {
  const { description, kind, minutes, lines, isRetry, oldestSeconds, triedForSeconds } = read;
  const { service, entry, name, consumer } = description;
  const retries = lines.filter(isRetry);
  const failing = failingMinutes(minutes, retries);
  const inARow = sum(failing.map(({ calls }) => calls));
  const since = failing.at(-1)?.minute;
  const newest = newestError(lines);
  const { fn: _, ...lastError } = newest ?? {};
  return {
    service,
    entry,
    name,
    kind,
    ...(consumer !== undefined && { consumer }),
    calls: sum(minutes.map(({ calls }) => calls)),
    failed: sum(minutes.map(({ failed }) => failed)),
    retried: retries.length,
    ...(since !== undefined && inARow >= (IN_A_ROW[kind] ?? 1) && { failingSince: since, inARow }),
    ...(newest && { lastError: lastError as Omit<ErrorLine, 'fn'> }),
    ...(oldestSeconds !== undefined && { oldestSeconds }),
    ...(oldestSeconds !== undefined &&
      triedForSeconds !== undefined && { givesUpInSeconds: Math.max(0, triedForSeconds - oldestSeconds) }),
  };
}

/**
 * Returns the newest line. What Lambda writes of an error that a function has logged and thrown comes right behind the function's own
 * line, and says less.
 */
function newestError(lines: readonly ErrorLine[]): ErrorLine | undefined {
  const newest = lines.at(-1);
  const own = lines.at(-2);
  if (!newest || newest.message !== undefined || own?.message === undefined || own.name !== newest.name) return newest;
  return secondsBetween(own.at, newest.at) <= 1 ? own : newest;
}

/** Returns the newest minutes in which each call failed or put something off. */
function failingMinutes(minutes: readonly CallMinute[], retries: readonly ErrorLine[]): readonly CallMinute[] {
  const isFailing = ({ minute, calls, failed }: CallMinute): boolean => {
    const begins = Date.parse(minute);
    const own = retries.filter(({ at }) => Date.parse(at) >= begins && Date.parse(at) < begins + MINUTE_MS);
    return failed + own.length >= calls;
  };
  const first = minutes.findIndex((minute) => !isFailing(minute));
  return first < 0 ? minutes : minutes.slice(0, first);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Describes an error in a line: `ThrottlingException: Rate exceeded, at publish (publish.ts:71:9)`. */
export const describeLastError = ({ message, name, text, frame }: Omit<ErrorLine, 'fn' | 'at'>): string =>
  [
    message !== undefined && message !== name ? `${message}: ${name}` : name,
    ...(text === undefined ? [] : [`: ${text}`]),
    ...(frame === undefined ? [] : [`, ${frame}`]),
  ].join('');
