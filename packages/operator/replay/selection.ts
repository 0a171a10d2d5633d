import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { parseIdTime } from '@orderly/kit/internal/aws/ids.js';
import type { ConsumerDescription } from '@orderly/kit/internal/base/outputs.js';
import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import { aggregateKey } from '@orderly/kit/internal/messages/keys.js';
import { publishedMessages } from '../audit/published-messages.js';
import type { Service } from '../deployment/services.js';
import { type ReadCommits, readCommitsSafely } from '../records/commits.js';
import { PAGE_SIZE, readCommitsAt, readFeed, readFeedByHour, type TimeSpan } from '../records/feed.js';

/** Events that are replayed: those of a time, of one aggregate (`Order/3f…`), or one event. */
export type Selection =
  | ({ readonly kind: 'span' } & TimeSpan)
  | { readonly kind: 'aggregate'; readonly subject: string }
  | { readonly kind: 'event'; readonly id: string };

/** A page of commits of one service. */
export interface SelectedPage extends ReadCommits {
  readonly service: Service;
  /** Time up to which all earlier commits of a span have come: a replay that stops here continues from it. */
  readonly since?: string;
}

/** Milliseconds around the time in an event's id in which its commit got its place in the feed. */
const AROUND = 60_000;

/** Returns the services to whose messages a consumer subscribes. */
export const findPublishers = (
  { events, takesCommands }: ConsumerDescription,
  services: readonly Service[],
): readonly Service[] =>
  takesCommands ? services : services.filter(({ name }) => events.some(({ service }) => service === name));

/** Reads the selected commits: those of a span in about the order of time, those of an aggregate in their order. */
export async function* readSelectedCommits(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  selection: Selection,
): AsyncGenerator<SelectedPage> {
  if (selection.kind === 'span') {
    yield* readFeedByHour(documents, services, selection);
    return;
  }
  for (const service of services) {
    const { commits, unreadable } =
      selection.kind === 'event'
        ? { commits: await commitsWith(documents, service, selection.id), unreadable: [] }
        : await readCommitsSafely(documents, service, subjectToKey(selection.subject));
    if (unreadable.length > 0) yield { service, commits: [], unreadable };
    for (let at = 0; at < commits.length; at += PAGE_SIZE)
      yield { service, commits: commits.slice(at, at + PAGE_SIZE), unreadable: [] };
  }
}

/** Finds the commit that contains a message. Its id (UUIDv7) contains its time, so only the feed of that moment is read. */
async function commitsWith(
  documents: DynamoDBDocumentClient,
  service: Service,
  id: string,
): Promise<readonly Commit[]> {
  const made = parseIdTime(id);
  if (made === undefined) return [];
  const entries = await readFeed({ documents }, service, { from: made - AROUND, to: made + AROUND });
  const { commits } = await readCommitsAt({ documents }, service, entries);
  return commits.filter((commit) => publishedMessages(commit).some((message) => message.id === id));
}

function subjectToKey(subject: string): string {
  const at = subject.indexOf('/');
  return aggregateKey(subject.slice(0, at), subject.slice(at + 1));
}
