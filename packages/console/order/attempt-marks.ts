import type { Attempt } from '@orderly/operator/attempts';
import type { AttemptMark, Look } from './history.js';
import { attemptKeyOf, type StreamedAttempt } from './streamed-attempts.js';

/** Consumer and service of each function, by the path of its construct. */
export type Owners = ReadonlyMap<string, { readonly consumer: string; readonly service: string }>;

interface Told {
  /** As the logs tell them, in the order of time. */
  readonly tries: readonly Attempt[];
  /** As a local cloud has seen them. */
  readonly streamed: readonly StreamedAttempt[];
  readonly sentAt: number;
}

/** Joins what two sources tell of the attempts at one message by one consumer. Where both tell an outcome, the logs are right: they count. */
export function joinAttempts(delivery: string, { tries, streamed, sentAt }: Told): readonly AttemptMark[] {
  const open = new Map(streamed.map((one) => [one.key, one]));
  const logged = tries.map((attempt, at): AttemptMark => {
    const { messageId, receiveCount } = attempt;
    const key = messageId === undefined ? undefined : attemptKeyOf(messageId, receiveCount ?? 1);
    const seen = key === undefined ? undefined : open.get(key);
    if (key !== undefined) open.delete(key);
    const time = seen?.ended ?? (attempt.at === undefined ? estimateTime(tries, at, sentAt) : Date.parse(attempt.at));
    const isEstimated = seen === undefined && attempt.at === undefined;
    return {
      id: key ?? `${delivery} ${at}`,
      look: findLook(attempt.outcome, seen?.isAnswerLost === true || isGivenAgain(tries, at)),
      outcome: attempt.outcome,
      at: time,
      ...(isEstimated && { isEstimated: true as const }),
      ...(messageId !== undefined && { messageId }),
      ...(receiveCount !== undefined && { receiveCount }),
      ...describeCause(attempt.cause, seen),
      ...(seen && seenFields(seen)),
    };
  });
  return [...logged, ...[...open.values()].map(streamedMark)].toSorted((one, other) => one.at - other.at);
}

/** Returns the mark of an attempt that only a local cloud has seen. What is stored for a lane or an inbox is applied by its writer. */
export function streamedMark(seen: StreamedAttempt): AttemptMark {
  const { key, outcome, ended, began, messageId, receiveCount, isAnswerLost } = seen;
  const counted = outcome === 'in lane' ? 'applied' : outcome;
  return {
    id: key,
    look: counted === undefined ? 'running' : findLook(counted, isAnswerLost),
    ...(counted !== undefined && { outcome: counted }),
    at: ended ?? began,
    messageId,
    receiveCount,
    ...describeCause(outcome === 'in lane' ? 'stored for its lane, whose writer applies it' : undefined, seen),
    ...seenFields(seen),
  };
}

const seenFields = ({ began, owner, fault }: StreamedAttempt) => ({
  began,
  owner,
  ...(fault !== undefined && { fault }),
});

/** The local cloud knows the error of a crash, of which logs have no line. */
function describeCause(cause: string | undefined, seen: StreamedAttempt | undefined): { readonly cause?: string } {
  const told = seen?.outcome === 'crashed' || cause === undefined ? (seen?.error ?? cause) : cause;
  return told === undefined ? {} : { cause: told };
}

const findLook = (outcome: Attempt['outcome'], isAnswerLost: boolean): Look =>
  outcome === 'applied' && isAnswerLost ? 'answer lost' : outcome;

/** Whether the queue gave a message again after this attempt had applied it: it did not learn of that. */
const isGivenAgain = (tries: readonly Attempt[], at: number): boolean => {
  const { messageId, outcome } = tries[at] ?? {};
  if (outcome !== 'applied' || messageId === undefined) return false;
  return tries.slice(at + 1).some((later) => later.messageId === messageId && later.outcome === 'duplicate');
};

/** Places an attempt without a time between those around it: the first one just behind the commit, since a message comes at once. */
function estimateTime(tries: readonly Attempt[], at: number, sentAt: number): number {
  const before = tries.slice(0, at).findLast((one) => one.at !== undefined);
  const next = tries.slice(at + 1).find((one) => one.at !== undefined);
  const from = before?.at === undefined ? sentAt : Date.parse(before.at);
  if (next?.at === undefined) return from;
  const to = Date.parse(next.at);
  const first = before === undefined ? 0 : tries.indexOf(before) + 1;
  const unknown = tries.indexOf(next) - first;
  const share = before === undefined ? (at - first) / unknown : (at - first + 1) / (unknown + 1);
  return Math.round(from + (to - from) * share);
}
