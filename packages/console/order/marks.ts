import { formatElapsed } from './format-elapsed.js';
import type { AttemptMark, CommitMark, DeliveryMark, Look, TimerMark } from './history.js';

/** An attempt with the message that it was made at. */
export interface Attempted {
  readonly delivery: DeliveryMark;
  readonly attempt: AttemptMark;
}

/** Subject of a mark of the picture. Marks without room of their own share one. */
export type Subject =
  | { readonly kind: 'commit'; readonly commits: readonly CommitMark[] }
  | { readonly kind: 'attempt'; readonly attempts: readonly Attempted[] }
  | { readonly kind: 'waiting'; readonly delivery: DeliveryMark }
  | { readonly kind: 'timer'; readonly timers: readonly TimerMark[] };

export const LOOK_TEXTS: Readonly<Record<Look | 'waiting', string>> = {
  applied: 'applied',
  duplicate: 'duplicate: nothing changed',
  'answer lost': 'applied, answer lost, so repeated',
  crashed: 'crashed',
  refused: 'refused',
  postponed: 'postponed: it comes again',
  running: 'running',
  waiting: 'waiting',
};

/** Looks from the one that somebody must see to the one that is usual. */
const BY_WEIGHT: readonly Look[] = [
  'crashed',
  'refused',
  'answer lost',
  'postponed',
  'running',
  'duplicate',
  'applied',
];

/** Returns the look of attempts that share a mark: that of the one that matters most. */
export const lookOf = (attempts: readonly Attempted[]): Look =>
  BY_WEIGHT.find((look) => attempts.some(({ attempt }) => attempt.look === look)) ?? 'applied';

/** Says what became of an attempt. A consumer refuses a message that is older than its records: it is quarantined as a failure. */
export function describeLook({ look, cause }: Pick<AttemptMark, 'look' | 'cause'>): string {
  return look === 'refused' && cause?.startsWith('TooOld') ? 'refused: too old, quarantined' : LOOK_TEXTS[look];
}

/** Names a commit by its messages: `OrderPlaced`, `StepSent, TimerSet, ReserveStock`. */
export const nameCommit = ({ messages }: CommitMark): string => messages.map(({ type }) => type).join(', ');

/** Names a mark for those who can't see it. @param from the beginning of the history */
export function nameSubject(subject: Subject, from: number): string {
  switch (subject.kind) {
    case 'commit': {
      const [first, ...more] = subject.commits;
      if (!first) return '';
      const verb = first.isPublication ? 'published' : 'committed';
      const name = `${first.service} ${verb} ${nameCommit(first)}, ${formatElapsed(first.at - from)}`;
      return more.length === 0 ? name : `${name}, and ${more.length} more commits`;
    }
    case 'attempt': {
      const [first] = subject.attempts;
      if (!first) return '';
      if (subject.attempts.length > 1) return nameGroup(subject.attempts, from);
      const { attempt, delivery } = first;
      const fault = attempt.fault === undefined ? [] : [`fault ${attempt.fault}`];
      const parts = [describeLook(attempt), ...fault, formatElapsed(attempt.at - from)];
      return `${delivery.type} at ${delivery.consumer}, delivery ${attempt.receiveCount ?? 1}: ${parts.join(', ')}`;
    }
    case 'waiting':
      return `${subject.delivery.type} waits for ${subject.delivery.consumer}`;
    case 'timer': {
      const [first, ...more] = subject.timers;
      if (!first) return '';
      const name = `timeout of ${first.service}, due ${formatElapsed(first.due - from)}`;
      return more.length === 0 ? name : `${name}, and ${more.length} more`;
    }
  }
}

function nameGroup(attempts: readonly Attempted[], from: number): string {
  const counted = BY_WEIGHT.flatMap((look) => {
    const count = attempts.filter(({ attempt }) => attempt.look === look).length;
    return count === 0 ? [] : [`${count} ${look}`];
  });
  const consumer = attempts[0]?.delivery.consumer ?? '';
  const first = Math.min(...attempts.map(({ attempt }) => attempt.at));
  return `${attempts.length} deliveries at ${consumer}: ${counted.join(', ')}, from ${formatElapsed(first - from)}`;
}
