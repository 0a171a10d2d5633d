import type { CommitMark, DeliveryMark } from './history.js';
import type { Happening } from './streamed-attempts.js';
import type { TracedMessage } from './trace.js';

/** Id of the commit that a message was written with. */
export const commitIdOf = ({ service, subject, at, trigger }: TracedMessage): string =>
  [service, subject, at, trigger].join(' ');

/** Returns the commits of messages, each with all that it wrote. */
export function groupCommits(messages: readonly TracedMessage[]): readonly CommitMark[] {
  const commits = new Map<string, CommitMark>();
  for (const message of messages) {
    const id = commitIdOf(message);
    const { service, subject, at, trigger, correlationId, type, version, details, to } = message;
    const one = {
      id: message.id,
      type,
      version,
      ...(details !== undefined && { details }),
      ...(to !== undefined && { to }),
    };
    const before = commits.get(id);
    commits.set(id, {
      ...(before ?? { id, service, subject, at: Date.parse(at), trigger, correlationId }),
      messages: [...(before?.messages ?? []), one],
    });
  }
  return [...commits.values()];
}

/**
 * Moves a commit before the first delivery of its messages. Clocks of functions differ by milliseconds, and nothing is delivered before it
 * is committed.
 */
export function beforeDeliveries(commit: CommitMark, deliveries: readonly DeliveryMark[]): CommitMark {
  const own = deliveries.filter((one) => one.commit === commit.id);
  const begun = own.flatMap(({ attempts }) =>
    attempts.flatMap(({ began, at, isEstimated }) => (isEstimated ? [] : [began ?? at])),
  );
  return { ...commit, at: Math.min(commit.at, ...begun.map((at) => at - 1)) };
}

/** Returns a commit for each message that only happenings tell of: the place where it was published. */
export function publications(
  happenings: readonly Happening[],
  isWanted: (one: Happening) => boolean,
  known: ReadonlySet<string>,
): readonly CommitMark[] {
  const first = new Map<string, Happening>();
  for (const one of happenings) {
    const { eventId } = one;
    if (eventId === undefined || known.has(eventId) || first.has(eventId) || !isWanted(one)) continue;
    first.set(eventId, one);
  }
  return [...first].map(([eventId, one]) => ({
    id: eventId,
    service: senderOf(one),
    subject: one.subject ?? '',
    // The first that is seen of a timer's message is its delivery.
    at: one.at - 1,
    trigger: '',
    correlationId: one.correlationId ?? '',
    messages: [{ id: eventId, type: one.type ?? 'message', version: one.version ?? 0 }],
    isPublication: true,
  }));
}

/** A source of the kit is `<app>.<service>` (packages/kit/messages/envelope.ts). */
const senderOf = ({ source, owner }: Happening): string =>
  source === undefined ? serviceOf(owner) : source.slice(source.indexOf('.') + 1);

/** Service of a construct, by its stack: `Orders/OnSaga` is of `orders`. */
export const serviceOf = (owner: string): string => (owner.split('/')[0] ?? owner).toLowerCase();
