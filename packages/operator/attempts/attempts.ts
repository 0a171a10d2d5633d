import type { AttemptLine, AttemptWord } from './attempt-lines.js';
import { WORDS } from './attempt-lines.js';

/**
 * Outcome of one attempt at a message.
 * - `crashed`: the queue gave the message, and no line says what became of it: the function crashed, was cut off by its timeout, or
 *   had no time left for this message.
 * - `postponed`: it comes again, after a fault that may pass; or its inbox has stored it, and processes it later.
 */
export type AttemptOutcome = 'applied' | 'duplicate' | 'refused' | 'postponed' | 'crashed';

/** One time that a consumer got a message. */
export interface Attempt {
  readonly outcome: AttemptOutcome;
  /** ISO 8601, UTC. Absent for one that left no line. */
  readonly at?: string;
  /** The queue's id of the message. */
  readonly messageId?: string;
  /** How often the queue had given the message, or runners of an inbox had taken it, this time included. */
  readonly receiveCount?: number;
  /** Whether its inbox has stored it, and processes it later; its outcome is `postponed` until then. */
  readonly isStored?: true;
  /** Why it came again, or why it wasn't applied. */
  readonly cause?: string;
}

/** Attempts of all consumers at all messages, by {@link attemptKey}; each list in the order of time. */
export type Attempts = ReadonlyMap<string, readonly Attempt[]>;

export const attemptKey = (consumer: string, eventId: string): string => `${consumer} ${eventId}`;

/** Number of attempts by their outcome. `delivered` is the sum of the others; what is `stored` is not `postponed`. */
export type AttemptCounts = Readonly<Record<'delivered' | 'stored' | AttemptOutcome, number>>;

/** Returns the attempts that log lines tell of, with their causes. It is a pure function. */
export function findAttempts(lines: readonly AttemptLine[]): Attempts {
  const byMessage = new Map<string, AttemptLine[]>();
  for (const line of lines.toSorted((one, other) => one.at.localeCompare(other.at))) {
    const key = attemptKey(line.consumer, line.eventId);
    byMessage.set(key, [...(byMessage.get(key) ?? []), line]);
  }
  return new Map([...byMessage].map(([key, own]) => [key, resolveInbox(withCauses(withUnlogged(resolveLane(own))))]));
}

export function countAttempts(attempts: Iterable<readonly Pick<Attempt, 'outcome' | 'isStored'>[]>): AttemptCounts {
  const counts = { delivered: 0, applied: 0, stored: 0, duplicate: 0, refused: 0, postponed: 0, crashed: 0 };
  for (const { outcome, isStored } of [...attempts].flat()) {
    counts.delivered++;
    counts[isStored ? 'stored' : outcome]++;
  }
  return counts;
}

/**
 * Says what became of all attempts: `delivered 31 times: applied 19, duplicates 9, crashed 3; done twice 0`.
 * @param doneTwice number of effects that were found twice
 */
export function describeAttempts(counts: AttemptCounts, doneTwice: number): string {
  const { delivered, applied, stored, duplicate, refused, postponed, crashed } = counts;
  const rare = [
    ...(stored > 0 ? [`stored ${stored}`] : []),
    ...(postponed > 0 ? [`postponed ${postponed}`] : []),
    ...(refused > 0 ? [`refused ${refused}`] : []),
  ];
  const parts = [`applied ${applied}`, `duplicates ${duplicate}`, `crashed ${crashed}`, ...rare];
  return `delivered ${delivered} times: ${parts.join(', ')}; done twice ${doneTwice}`;
}

const OUTCOME_TEXTS: Readonly<Record<AttemptOutcome, string>> = {
  applied: 'applied',
  duplicate: 'duplicate: nothing changed',
  refused: 'refused',
  postponed: 'postponed',
  crashed: 'crashed',
};

/** Describes one attempt in a line: `duplicate: nothing changed  +3.1 s  (it was sent to the queue once more)`. */
export const describeAttempt = (
  { outcome, at, isStored, cause }: Attempt,
  formatTime: (at: string) => string,
): string =>
  [
    isStored ? 'stored' : OUTCOME_TEXTS[outcome],
    ...(at === undefined ? [] : [formatTime(at)]),
    ...(cause === undefined ? [] : [`(${cause})`]),
  ].join('  ');

/** An attempt before its cause is known. */
interface Seen extends Omit<Attempt, 'isStored'> {
  readonly error?: string | undefined;
  /** Whether a runner of an inbox made it. */
  readonly isByRunner?: boolean;
  /** Whether the inbox has stored the message, and processes it later. */
  readonly isStored?: boolean;
}

/**
 * Decides what deliveries were that a consumer has stored for its lane: once the lane's writer has applied the message, one of them is
 * what it applied, and the others are duplicates, of which the writer need not hear.
 */
function resolveLane(lines: readonly AttemptLine[]): readonly Seen[] {
  const inLane = lines.filter(({ word }) => outcomeOf(word) === 'in lane');
  const [first] = inLane;
  const ended = lines.filter((line) => !inLane.includes(line));
  if (!first) return ended.map(seen);
  // A line of the lane's writer is about the request, and no delivery of its own: each delivery has a line of its consumer.
  const isWriters = ({ messageId, isByRunner, word }: AttemptLine): boolean =>
    messageId === undefined && !isByRunner && outcomeOf(word) !== 'refused';
  const isApplied = ended.some(({ word }) => outcomeOf(word) === 'applied' || outcomeOf(word) === 'duplicate');
  const byWriter = ended.some((line) => isWriters(line) && outcomeOf(line.word) === 'applied');
  const stored = inLane.map((line): Seen => {
    if (!isApplied) return { ...seen(line), outcome: 'postponed', error: 'it waits in its lane' };
    return { ...seen(line), outcome: line === first && byWriter ? 'applied' : 'duplicate' };
  });
  return [...ended.filter((line) => !isWriters(line)).map(seen), ...stored].toSorted(byTime);
}

const outcomeOf = (word: string) => WORDS[word as AttemptWord];

const byTime = (one: Seen, other: Seen): number => (one.at ?? '').localeCompare(other.at ?? '');

function seen({ word, at, messageId, isByRunner, receiveCount, error }: AttemptLine): Seen {
  const outcome = outcomeOf(word);
  return {
    outcome: outcome === 'in lane' ? 'postponed' : outcome,
    at,
    receiveCount,
    ...(messageId !== undefined && { messageId }),
    ...(isByRunner && { isByRunner }),
    ...(word === 'stored' && { isStored: true }),
    ...(error !== undefined && { error }),
  };
}

/**
 * Replaces the storing of a message by the attempts of its inbox's runners, which say what became of it. Without one it is stored: an
 * inbox that collects messages processes many at once, and its log has no line about each of them ({@link settleStored}).
 */
function resolveInbox(attempts: readonly Seen[]): readonly Attempt[] {
  const hasRunner = (some: readonly Seen[]): boolean => some.some(({ isByRunner }) => isByRunner);
  return attempts.flatMap(({ isByRunner: _, isStored, error: __, ...attempt }, at): readonly Attempt[] => {
    if (!isStored) return [attempt];
    if (hasRunner(attempts.slice(at))) return [];
    return [{ ...attempt, outcome: 'postponed', isStored: true, cause: 'its inbox processes it later' }];
  });
}

/** Returns the attempts at a message that its record says is processed: what its inbox had stored is applied. */
export function settleStored(attempts: readonly Attempt[]): readonly Attempt[] {
  let isApplied = attempts.some(({ outcome }) => outcome === 'applied');
  return attempts.map(({ isStored, ...attempt }): Attempt => {
    if (!isStored) return attempt;
    const { cause: _, ...settled } = attempt;
    const outcome = isApplied ? 'duplicate' : 'applied';
    isApplied = true;
    return { ...settled, outcome };
  });
}

/** Adds an attempt for each time that the queue gave a message, or a runner took it, and no line says what became of it. */
function withUnlogged(attempts: readonly Seen[]): readonly Seen[] {
  const told = new Set<string>();
  return attempts.flatMap((attempt) => {
    const { messageId, isByRunner = false, receiveCount = 1 } = attempt;
    if (messageId === undefined && !isByRunner) return [attempt];
    const crashed: Seen[] = [];
    for (let count = 1; count < receiveCount; count++) {
      const key = `${messageId ?? 'runner'} ${count}`;
      const isSame = (one: Seen): boolean => one.messageId === messageId && (one.isByRunner ?? false) === isByRunner;
      const isLogged = attempts.some((one) => isSame(one) && one.receiveCount === count);
      if (isLogged || told.has(key)) continue;
      told.add(key);
      crashed.push({
        outcome: 'crashed',
        receiveCount: count,
        ...(messageId === undefined ? { isByRunner } : { messageId }),
      });
    }
    return [...crashed, attempt];
  });
}

function withCauses(attempts: readonly Seen[]): readonly Seen[] {
  return attempts.map(({ error, ...attempt }, at) => {
    const cause = error ?? findCause(attempt, attempts.slice(0, at));
    return cause === undefined ? attempt : { ...attempt, cause };
  });
}

function findCause(
  { outcome, messageId }: Pick<Attempt, 'outcome' | 'messageId'>,
  before: readonly Pick<Attempt, 'outcome' | 'messageId'>[],
): string | undefined {
  if (outcome === 'crashed') return 'no line says its end: it crashed, or its time was over';
  if (outcome !== 'duplicate') return undefined;
  const same = messageId === undefined ? [] : before.filter((one) => one.messageId === messageId);
  if (same.some((one) => one.outcome === 'applied' || one.outcome === 'duplicate'))
    return 'the queue gave it again after it was applied';
  // Of a message that another delivery has applied, a crash had no effect.
  const isAppliedElsewhere = before.some((one) => one.outcome === 'applied' && one.messageId !== messageId);
  if (!isAppliedElsewhere && same.some((one) => one.outcome === 'crashed'))
    return 'the attempt before had its effect, and crashed then';
  if (before.length > 0) return 'it was sent to the queue once more';
  return 'it was applied before the time that is looked at';
}
