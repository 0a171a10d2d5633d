import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import type { Facts, QueueListener } from '../../support/simulation/facts.js';
import { type Check, violation } from './violation.js';

/** Invariants of all inboxes: each message that was stored ends, and ends once (G3, G5). */
export const inboxes: Check = (facts) => [...messagesEnd(facts), ...messagesEndOnce(facts)];

const inboxesOf = ({ listeners }: Facts): readonly QueueListener[] =>
  listeners.filter(({ consumer }) => consumer.inbox);

/**
 * In the end no message waits for nothing. One of a sequential inbox may wait for its turn (`rewards.ts`), and one with a
 * place in a window for its window (`reports.ts`).
 */
const messagesEnd: Check = (facts) =>
  inboxesOf(facts).flatMap((listener) => {
    if (listener.consumer.inbox?.mode === 'sequential') return [];
    const beginning = recordKey(listener, '');
    return [...facts.records].flatMap(([pk, { status, window, subject }]) =>
      pk.startsWith(beginning) && status === 'PENDING' && window === undefined
        ? [violation('a stored message ends', `${pk} of ${String(subject)}`, pk.slice(beginning.length))]
        : [],
    );
  });

const ENDED: readonly unknown[] = ['PROCESSED', 'DISCARDED'];

/** A record that has ended has no other status ever after. Only a failure is opened again, by an operator. */
const messagesEndOnce: Check = (facts) => {
  const beginnings = inboxesOf(facts).map((listener) => recordKey(listener, ''));
  return facts.writes.flatMap(({ fn, changes }) =>
    changes.flatMap(({ before, after }) => {
      const pk = String(before?.pk);
      if (!after || !ENDED.includes(before?.status) || after.status === before?.status) return [];
      if (!beginnings.some((beginning) => pk.startsWith(beginning))) return [];
      const told = `${pk} ${String(before?.status)}, then ${String(after.status)} by ${fn}`;
      return [violation('a stored message ends once', told, pk)];
    }),
  );
};
