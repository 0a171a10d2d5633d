import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { timeOfId } from '@orderly/kit/internal/aws/ids.js';
import type { ConsumerDescription } from '@orderly/kit/internal/base/outputs.js';
import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import { aggregateKey } from '@orderly/kit/internal/messages/keys.js';
import { messagesOf } from '../audit/expected.js';
import type { Service } from '../deployment/services.js';
import { type ReadCommits, readCommitsOf } from '../records/commits.js';
import { commitsByHour, PAGE_SIZE, readCommitsAt, readFeed, type Span } from '../records/feed.js';

/** What is replayed: the events of a time, of one aggregate (`Order/3f…`), or one event. */
export type Selection =
  | ({ readonly kind: 'span' } & Span)
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

/** Returns the services whose messages a consumer hears. */
export const publishersTo = (
  { events, takesCommands }: ConsumerDescription,
  services: readonly Service[],
): readonly Service[] =>
  takesCommands ? services : services.filter(({ name }) => events.some(({ service }) => service === name));

/** Reads the selected commits: those of a span in about the order of time, those of an aggregate in their order. */
export async function* selectedCommits(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  selection: Selection,
): AsyncGenerator<SelectedPage> {
  if (selection.kind === 'span') {
    yield* commitsByHour(documents, services, selection);
    return;
  }
  for (const service of services) {
    const { commits, unreadable } =
      selection.kind === 'event'
        ? { commits: await commitsWith(documents, service, selection.id), unreadable: [] }
        : await readCommitsOf(documents, service, keyOf(selection.subject));
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
  const made = timeOfId(id);
  if (made === undefined) return [];
  const entries = await readFeed({ documents }, service, { from: made - AROUND, to: made + AROUND });
  const { commits } = await readCommitsAt({ documents }, service, entries);
  return commits.filter((commit) => messagesOf(commit).some((message) => message.id === id));
}

function keyOf(subject: string): string {
  const at = subject.indexOf('/');
  return aggregateKey(subject.slice(0, at), subject.slice(at + 1));
}
