import { type Fault, type FaultKind, ownerOf } from '../engine/faults.js';
import { describeRepetition, findRunning, isInvoked, isOf, type TracedInvocation, withoutTime } from './invocations.js';

/** What each kind of fault is, with AWS's page and how likely it is. */
export const KINDS: Readonly<
  Record<FaultKind, { readonly says: string; readonly source: string; readonly likely: string }>
> = {
  'answer-lost': {
    says: 'the call took effect, and the connection broke before its answer; the SDK repeats such a call by itself',
    source: 'AWS SDKs and Tools Reference Guide, "Retry behavior"',
    likely: 'now and then, with every network',
  },
  crashed: {
    says: 'the invocation failed before its handler ran',
    source: 'AWS Lambda, "Understanding retry behavior"',
    likely: 'rare',
  },
  'crashes-its-function': {
    says: 'the function died in the middle of its work, the first three times that the message came',
    source: 'AWS Lambda, "Using Lambda with Amazon SQS"',
    likely: 'as often as the function runs out of memory or time',
  },
  conflict: {
    says: 'another transaction held the item, so the write was refused',
    source: 'Amazon DynamoDB, "Managing complex workflows with DynamoDB transactions"',
    likely: 'as often as writers meet',
  },
  delayed: {
    says: 'the message could not be received for ten minutes',
    source: 'Amazon SQS, "Amazon SQS standard queues"',
    likely: 'rare',
  },
  'delivered-twice': {
    says: 'the event was delivered twice',
    source: 'Amazon EventBridge, "How EventBridge retries delivering events"; Amazon SNS, "Message delivery retries"',
    likely: 'rare, and documented: at least once',
  },
  duplicate: {
    says: 'the message came a second time',
    source: 'Amazon SQS, "Amazon SQS at-least-once delivery"',
    likely: 'rare, and documented: at least once',
  },
  'entry-refused': {
    says: 'the first entry of the batch was refused, in an answer that is no error',
    source: 'Amazon EventBridge API Reference, "PutEvents" (FailedEntryCount)',
    likely: 'with each throttle',
  },
  'hung-after': {
    says: 'the call took effect, and no answer came until the function timed out',
    source: 'AWS Lambda, "Configure Lambda function timeout"',
    likely: 'rare',
  },
  'hung-before': {
    says: 'no answer came until the function timed out',
    source: 'AWS Lambda, "Configure Lambda function timeout"',
    likely: 'rare',
  },
  'killed-after': {
    says: 'the function died after its call took effect, so the rest of its work was not done',
    source: 'AWS Lambda, "Understanding the Lambda execution environment lifecycle"',
    likely: 'with each timeout, crash and lack of memory',
  },
  'killed-before': {
    says: 'the function died before its call',
    source: 'AWS Lambda, "Understanding the Lambda execution environment lifecycle"',
    likely: 'with each timeout, crash and lack of memory',
  },
  late: {
    says: 'the connection broke, and the call took effect 2 s later, beside or after its repetition',
    source: 'AWS SDKs and Tools Reference Guide, "Retry behavior"',
    likely: 'very rare',
  },
  'late-duplicate': {
    says: 'the message came a second time, five days later, or as late as its queue keeps it',
    source: 'Amazon SQS, "Amazon SQS at-least-once delivery"',
    likely: 'very rare; also what an operator does who sends a message again',
  },
  lost: { says: 'it was never delivered', source: 'excluded by AWS', likely: 'excluded by AWS' },
  refused: { says: 'the call was throttled', source: 'each service, "Throttling"', likely: 'under load' },
  'refused-for-long': {
    says: 'the operation was throttled for 30 s, longer than the SDK repeats it',
    source: 'each service, "Throttling"',
    likely: 'under load',
  },
  'result-lost': {
    says: 'the invocation did its work, and its result was lost, so it is repeated',
    source: 'AWS Lambda, "Understanding retry behavior"',
    likely: 'rare',
  },
  stale: {
    says: 'an eventually consistent read saw the table as it was up to 5 s before',
    source: 'Amazon DynamoDB, "DynamoDB read consistency"',
    likely: 'often, within a second of a write',
  },
  'throttles-its-function': {
    says: 'DynamoDB throttled every write while the message was worked on',
    source: 'Amazon DynamoDB, "Troubleshooting throttling"',
    likely: 'under load',
  },
  undeliverable: {
    says: 'the target could not be reached for longer than it is tried',
    source:
      'Amazon EventBridge, "Using dead-letter queues to process undelivered events"; Amazon SNS, "Amazon SNS dead-letter queues"; EventBridge Scheduler, "Configuring a dead-letter queue"',
    likely: 'when a target is gone, or its rights are',
  },
  'undeliverable-at-first': {
    says: 'the target could not be reached at first',
    source: 'Amazon EventBridge, "How EventBridge retries delivering events"',
    likely: 'now and then',
  },
  'very-late': {
    says: 'the connection broke, and the call took effect 40 s later, when the function had given up',
    source: 'AWS SDKs and Tools Reference Guide, "Retry behavior"',
    likely: 'very rare',
  },
};

/** Errors by which a repeated write is refused, since the first one took effect. */
const REFUSED_REPEAT = /ConditionalCheckFailed|TransactionCanceled|DuplicateItem/;

/**
 * Explains the cause of a broken promise in a few sentences: what the fault is, what it met, and what followed at the same construct. It says nothing
 * that the trace doesn't show.
 * @param trace lines of the history
 */
export function explain({ point, kind }: Fault, trace: readonly string[]): string {
  const owner = ownerOf(point);
  const at = trace.findIndex((line) => line.includes('FAULT') && isOf(line, point));
  const isTask = trace.some((line) => withoutTime(line).startsWith(`${owner} execution `));
  // A call of a task has the name of its state.
  const called = isTask ? '(.+) FAULT' : '([\\w-]+\\.\\w+)';
  const [, operation] = new RegExp(`${escapePattern(point)} ${called}`).exec(trace[at] ?? '') ?? [];
  const behind = trace.slice(at + 1).filter((line) => isOf(line, owner));
  const refused = behind.find((line) => REFUSED_REPEAT.test(line) && isRepetition(line, owner, trace));
  const invocation = findRunning(trace, at, owner);
  const failed = isInvoked(trace, owner)
    ? trace[invocation?.outcome?.startsWith('failed') ? invocation.end : -1]
    : behind.find((line) => (isTask ? / execution \S+ FAILED / : / failed /).test(line));
  const again = describeRepetition(trace, at, invocation?.end ?? at, owner, kind === 'result-lost');
  return [
    `At ${point}${operation === undefined ? '' : ` (${operation})`} ${isTask ? sayOfTask(kind) : sayWhat(kind, invocation)}.`,
    ...(refused === undefined ? [] : [`Its repetition was refused: ${withoutTime(refused)}.`]),
    ...(failed === undefined || refused !== undefined ? [] : [`Then: ${withoutTime(failed)}.`]),
    ...(again !== undefined && refused === undefined && failed === undefined ? [again] : []),
  ].join(' ');
}

/** Says what a fault of a state machine's task is: no SDK repeats its call, only a `Retry` of its state. */
const sayOfTask = (kind: FaultKind): string =>
  KINDS[kind].says.replace('; the SDK repeats such a call by itself', '; only a Retry of its state repeats it');

/** Says what a fault is. A call without an answer ends by the function's timeout, or before by that of its client. */
function sayWhat(kind: FaultKind, invocation: TracedInvocation | undefined): string {
  const { says } = KINDS[kind];
  if (!kind.startsWith('hung-') || invocation?.outcome?.includes('Sandbox.Timedout')) return says;
  const end = invocation?.outcome === undefined ? '' : ', and the function ended before its timeout';
  return says.replace(' until the function timed out', end);
}

/** Tells whether a call that was refused asks for the same as an earlier one of its construct. @param line of its refusal */
function isRepetition(line: string, owner: string, trace: readonly string[]): boolean {
  const [, number] = new RegExp(`${escapePattern(owner)} call (\\d+) `).exec(line) ?? [];
  const asked = new RegExp(`${escapePattern(owner)} call (\\d+) ([\\w-]+\\.\\w+.*?)(?: FAULT .*)?$`);
  const calls = trace.flatMap((one) => {
    const [, which, what] = asked.exec(one) ?? [];
    return which === undefined ? [] : [{ which, what }];
  });
  const own = calls.find(({ which }) => which === number);
  return calls.some(({ which, what }) => Number(which) < Number(number) && what === own?.what);
}

/** Lines of a history on one screen: those of the construct around the fault, and the answers that the client got. */
export function excerpt({ point }: Fault, trace: readonly string[], most = 24): readonly string[] {
  const owner = ownerOf(point);
  const lines = trace.filter((line) => line.includes(owner) || line.includes('FAULT') || / client /.test(line));
  const at = lines.findIndex((line) => line.includes('FAULT'));
  const from = Math.max(0, at - 6);
  return lines.slice(from, from + most);
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
