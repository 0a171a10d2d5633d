import type { Invocation } from '../services/lambda/model.js';

const BY_RUNTIME = /^(Invoke Error|Uncaught Exception|Unhandled Promise Rejection) \{/;

/** Longest text of what it logged. */
const SHOWN = 240;

/** Describes an invocation in one line: date and time, function, duration, outcome, and the last thing that it logged. */
export function formatInvocation({ fn, began, ended, result, logged }: Invocation): string {
  const time = new Date(began).toISOString();
  const outcome = result.kind === 'failed' ? `failed: ${result.name}: ${result.message}` : result.kind;
  // Lambda's runtime logs what the outcome says already.
  const isKnown = logged === undefined || (result.kind === 'failed' && BY_RUNTIME.test(logged));
  const said = isKnown ? '' : `  ${extractMessage(logged).slice(0, SHOWN)}`;
  return `${time}  ${fn}  ${ended - began} ms  ${outcome}${said}`;
}

/**
 * Returns the message of a structured line, with what identifies its subject, and the error that it is about: its name and its
 * text. Any other line is returned as it is.
 */
function extractMessage(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { message, eventId, orderId, record, name, text, error } = JSON.parse(line) as Record<string, unknown>;
    const thrown = [name, text].filter((part) => typeof part === 'string').join(': ');
    return [message, orderId ?? eventId ?? record, thrown || (error as { message?: unknown } | undefined)?.message]
      .filter((part) => typeof part === 'string')
      .join(' ');
  } catch {
    return line;
  }
}
