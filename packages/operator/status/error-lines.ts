import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { type LogEvent, type LogSearch, readLogEvents } from '../records/log-events.js';

/** Line of a log about a call that failed, or about a message that is tried again. */
export interface ErrorLine {
  /** Time, ISO 8601. */
  readonly at: string;
  /** Physical name of the function. */
  readonly fn: string;
  /** Step that was not done: `retrying`, `publish failed`. Absent of lines that Lambda writes itself. */
  readonly message?: string;
  /** Name of the error: `ThrottlingException`, `timeout`. */
  readonly name: string;
  /** Text of the error, as far as the kit's functions show it: never data of a person. */
  readonly text?: string;
  /** First frame of its stack. */
  readonly frame?: string;
}

/**
 * Messages of lines about what is tried again without an error of the call: a consumer's message that is put off, an inbox's, and what a relay
 * did not send. A test compares them with the sources of the kit.
 */
export const RETRY_MESSAGES: readonly string[] = [
  'retrying',
  'not stored yet',
  'stored messages were not processed',
  'some entries were not sent in time',
];

/**
 * Terms of which a line has one: levels of the kit's lines, Lambda's own record of a call that it cut off, and what it writes of an uncaught error.
 * Amazon CloudWatch Logs User Guide, "Filter pattern syntax", `?` before terms of which one is enough.
 */
const PATTERN = '?ERROR ?WARN ?errorType ?"platform.report"';

/** Reads the lines about errors of some functions, oldest first. */
export const readErrorLines = async (
  client: CloudWatchLogsClient,
  search: Omit<LogSearch, 'pattern'>,
): Promise<readonly ErrorLine[]> =>
  (await readLogEvents(client, { ...search, pattern: PATTERN }, parseErrorLine)).found;

/** Text that Lambda's runtime writes of an uncaught error, where the log has no JSON. */
const BY_RUNTIME = /^(?:Invoke Error|Uncaught Exception|Unhandled Promise Rejection)\s+(?=\{)/;

/** Reads a line of a function: nothing of one that is about no error. */
export function parseErrorLine({ at, fn, text: line }: LogEvent): readonly ErrorLine[] {
  const fields = parseObject(line.trim().replace(BY_RUNTIME, ''));
  if (!fields) return [];
  const { level, message, name, text, stack, type, record, errorType } = fields;
  if (type === 'platform.report') {
    const { status, errorType: ended } = (record ?? {}) as { readonly status?: string; readonly errorType?: string };
    return status === 'error' || status === 'timeout' ? [{ at, fn, name: ended ?? status }] : [];
  }
  if (typeof errorType === 'string') return [{ at, fn, name: errorType, ...firstFrame(stack) }];
  if (level !== 'ERROR' && level !== 'WARN') return [];
  // The text of an error that the kit has not seen may contain data of a person, so only its name is taken.
  if (typeof message === 'object' && message !== null) {
    const { errorType: thrown = 'Error', stackTrace } = message as {
      readonly errorType?: string;
      readonly stackTrace?: unknown;
    };
    return [{ at, fn, name: thrown, ...firstFrame(stackTrace) }];
  }
  const isRetry = RETRY_MESSAGES.includes(String(message));
  if (level === 'WARN' && !isRetry) return [];
  return [
    {
      at,
      fn,
      message: String(message),
      name: typeof name === 'string' ? name : String(message),
      ...(typeof text === 'string' && text !== '' && { text }),
      ...firstFrame(stack),
    },
  ];
}

/** Returns the first frame of a stack, which may begin with the error's name. */
function firstFrame(stack: unknown): { readonly frame?: string } {
  const frame = Array.isArray(stack)
    ? stack.map((line) => String(line).trim()).find((line) => line.startsWith('at '))
    : undefined;
  return frame === undefined ? {} : { frame };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it was cut off when the function ended
  }
}
