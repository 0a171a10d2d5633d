import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { terminalWidth } from '../cli/table.js';
import { formatDuration } from '../cli/text-format.js';
import { groupBy } from './group-by.js';

/**
 * Returns the shortest beginning of an id that no other one has.
 * @param shortest minimum number of characters. @default 7, as in git
 */
export function shortenId(id: string, others: readonly string[], shortest = 7): string {
  for (let length = shortest; length < id.length; length++) {
    const prefix = id.slice(0, length);
    if (others.every((other) => other === id || !other.startsWith(prefix))) return prefix;
  }
  return id;
}

/** Minimum length of a shortened message id: `body:` and seven digits, or a UUIDv7 without what those of a second share. */
const MIN_ID_LENGTH = 'body:'.length + 7;

interface Identified {
  readonly messageId: string;
  readonly listener: { readonly name: string };
}

/**
 * Returns how a list shows message ids: on a terminal as the shortest beginning that no other message of the consumer in
 * the list has, which the other commands take; elsewhere whole.
 */
export function idFormatter(all: readonly Identified[], width = terminalWidth()): (one: Identified) => string {
  if (width === undefined) return ({ messageId }) => messageId;
  const byConsumer = groupBy(all, ({ listener }) => listener.name);
  return ({ messageId, listener }) =>
    shortenId(messageId, byConsumer.get(listener.name)?.map((one) => one.messageId) ?? [], MIN_ID_LENGTH);
}

/** Returns how a list shows a time: on a terminal relative to `now`, elsewhere in ISO 8601. */
export function formatTime(at: string, now: string, width = terminalWidth()): string {
  if (width === undefined || Number.isNaN(Date.parse(at))) return at;
  return `${formatDuration(Math.max(0, secondsBetween(at, now)))} ago`;
}

/** Finds the one message whose id begins so; undefined if there is none, or more than one. */
export function findByPrefix<One extends Identified>(beginning: string, all: readonly One[]): One | undefined {
  if (beginning.length < MIN_ID_LENGTH) return undefined;
  const [only, another] = all.filter(({ messageId }) => messageId.startsWith(beginning));
  return another === undefined ? only : undefined;
}
