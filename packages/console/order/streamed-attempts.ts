import { isAttemptWord, WORDS } from '@orderly/operator/attempts';
import type { Happened } from '../page/stream.js';

/** A happening of a local cloud, of any kind: those that the picture doesn't know are left out. */
export type Happening = Omit<Happened, 'kind'> & { readonly kind: string };

/** An attempt as a local cloud has seen it: with its begin, its function and its fault. */
export interface StreamedAttempt {
  /** Of the queue's message and its receive count. */
  readonly key: string;
  readonly owner: string;
  readonly invocation: string;
  readonly eventId: string;
  readonly messageId: string;
  readonly receiveCount: number;
  readonly began: number;
  readonly ended?: number;
  /** Absent while it runs. */
  readonly outcome?: 'applied' | 'duplicate' | 'refused' | 'postponed' | 'crashed' | 'in lane';
  readonly isAnswerLost: boolean;
  readonly fault?: string;
  readonly error?: string;
  /** The happening that began it. */
  readonly first: Happening;
}

export const attemptKeyOf = (messageId: string, receiveCount: number): string => `${messageId} ${receiveCount}`;

/** Outcomes of a watched batch that are no words of a consumer. A consumer that is not the kit's says nothing, and is `done`. */
const ENDS: Readonly<Record<string, StreamedAttempt['outcome']>> = {
  postponed: 'postponed',
  refused: 'refused',
  throttled: 'postponed',
  crashed: 'crashed',
  done: 'applied',
};

/**
 * Returns the attempts at messages that happenings tell of. A later happening of one attempt completes an earlier one: `applied`, then
 * `answer lost` is one attempt that had its effect.
 * @param isWanted chooses messages @param happenings in their order
 */
export function readStreamedAttempts(
  happenings: readonly Happening[],
  isWanted: (happening: Happening) => boolean,
): ReadonlyMap<string, StreamedAttempt> {
  const found = new Map<string, StreamedAttempt & { readonly lastNumber?: number }>();
  const faults = happenings.filter(({ kind }) => kind === 'fault');
  for (const one of happenings) {
    const { kind, messageId, receiveCount, eventId, outcome = '' } = one;
    if (kind !== 'delivery' || messageId === undefined || receiveCount === undefined) continue;
    if (eventId === undefined || !isWanted(one)) continue;
    const key = attemptKeyOf(messageId, receiveCount);
    const before = found.get(key);
    const begun = before ?? { ...pickBegin(one, key), messageId, receiveCount, eventId };
    if (outcome === 'began') {
      found.set(key, begun);
      continue;
    }
    const isAnswerLost = outcome === 'answer lost';
    const told = isAttemptWord(outcome) ? WORDS[outcome] : ENDS[outcome];
    // An invocation whose result is lost before a line says the outcome may have done its work or not, like a crash.
    const now = isAnswerLost ? (before?.outcome ?? 'crashed') : (told ?? 'applied');
    const fault = findFault(faults, begun, one.number);
    found.set(key, {
      ...begun,
      outcome: now,
      ended: one.at,
      isAnswerLost,
      ...(fault !== undefined && { fault }),
      ...(one.error !== undefined && { error: one.error }),
    });
  }
  return found;
}

const pickBegin = (first: Happening, key: string) => ({
  key,
  owner: first.owner,
  invocation: first.invocation ?? '',
  began: first.at,
  isAnswerLost: false,
  first,
});

/** Returns the fault that was made at an attempt: at its invocation, or at a call of its function between its begin and its end. */
function findFault(
  faults: readonly Happening[],
  { owner, invocation, first }: Pick<StreamedAttempt, 'owner' | 'invocation' | 'first'>,
  end: number,
): string | undefined {
  const own = faults.filter((one) => one.owner === owner);
  const made =
    own.find(({ id }) => id === invocation) ?? own.find(({ number }) => number > first.number && number < end);
  return made?.fault;
}
