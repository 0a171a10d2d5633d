import { type Commit, firstVersionOf } from '@orderly/kit/internal/messages/commit.js';
import type { Listener, listRecordKeys } from '../deployment/services.js';

/** A message of a commit: an event, or a command that was sent with it. */
export interface SentMessage {
  readonly id: string;
  readonly type: string;
  /** Version of its aggregate: a command has the version of the commit's last event, as its envelope does. */
  readonly version: number;
  /** For a command: the service that handles it. */
  readonly to?: string;
}

/** Returns the messages of a commit, in the order in which the relay sends them: none of a commit that is not published. */
export const publishedMessages = (commit: Commit): readonly SentMessage[] =>
  commit.published === false
    ? []
    : [
        ...commit.events.map(({ id, type }, place) => ({ id, type, version: firstVersionOf(commit) + place })),
        ...(commit.commands ?? []).map(({ id, type, to }) => ({ id, type, version: commit.lastVersion, to })),
      ];

/** Whether a listener gets a message, by what its deployment says. @param from name of the sending service */
export const isSubscribed = ({ consumer, service }: Listener, from: string, { type, to }: SentMessage): boolean =>
  to === undefined
    ? (consumer?.events.some((events) => events.service === from && events.types.includes(type)) ?? false)
    : consumer?.takesCommands === true && service.name === to;

/** A message with its place in the history of its aggregate. */
export type MessagePosition = Parameters<typeof listRecordKeys>[1];

/** Returns the place of a message. */
export const toMessagePosition = (
  { pk, epoch = 0 }: Pick<Commit, 'pk' | 'epoch'>,
  { id, version }: SentMessage,
): MessagePosition => ({
  id,
  subject: subjectOf(pk),
  sequence: version,
  epoch,
});

/** Returns the subject of an aggregate's messages. @param pk its key: `Order#3f…` */
export const subjectOf = (pk: string): string => pk.replace('#', '/');
