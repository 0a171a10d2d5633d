import type { InboxMode } from '@orderly/kit/internal/base/outputs.js';
import { isSubscribed, publishedMessages, subjectOf } from '../audit/published-messages.js';
import type { CommandContext } from '../cli/context.js';
import { type Listener, listListeners, type Service } from '../deployment/services.js';
import { readFeedCommits, type TimeSpan } from '../records/feed.js';

/** Commits that a service has published since an instant: it forgets them if it is restored to that instant, and nobody else does. */
export interface LostCommits {
  readonly commits: number;
  /** Times of the first and the last commit, ISO 8601, UTC; absent if there is none. */
  readonly first?: string;
  readonly last?: string;
  /** Number of events and commands by type, the most frequent first. */
  readonly types: readonly { readonly type: string; readonly count: number }[];
  /** Aggregates in the order of their first commit since then: `Order/3f…`. */
  readonly subjects: readonly string[];
  /** Consumers of other services that hear these messages. */
  readonly heardBy: readonly AffectedConsumer[];
}

/** A consumer of another service, and how many of the forgotten messages it subscribes to. */
export interface AffectedConsumer {
  readonly service: string;
  readonly consumer: string;
  readonly count: number;
  /** Mode of its inbox, if it has one. */
  readonly inbox?: InboxMode;
}

/**
 * Reads what a service has published in a span of time, from its feed. What was deleted from its table by hand is not
 * there any more: the archive of the bus has it.
 */
export async function readLostCommits(
  { documents, services }: Pick<CommandContext, 'documents' | 'services'>,
  service: Service,
  span: TimeSpan,
): Promise<LostCommits> {
  const others = listListeners(services).filter((one) => one.consumer && one.service.name !== service.name);
  const types = new Map<string, number>();
  const heard = new Map<Listener, number>();
  const subjects = new Set<string>();
  let commits = 0;
  let first: string | undefined;
  let last: string | undefined;
  for await (const page of readFeedCommits(documents, service, span)) {
    // Nobody knows what is in a commit that can't be read. Its aggregate is forgotten, too.
    for (const { pk } of page.unreadable) subjects.add(subjectOf(pk));
    commits += page.unreadable.length;
    for (const commit of page.commits) {
      commits++;
      if (first === undefined || commit.at < first) first = commit.at;
      if (last === undefined || commit.at > last) last = commit.at;
      subjects.add(subjectOf(commit.pk));
      for (const message of publishedMessages(commit)) {
        types.set(message.type, (types.get(message.type) ?? 0) + 1);
        for (const listener of others)
          if (isSubscribed(listener, service.name, message)) heard.set(listener, (heard.get(listener) ?? 0) + 1);
      }
    }
  }
  return {
    commits,
    ...(first !== undefined && { first }),
    ...(last !== undefined && { last }),
    types: [...types]
      .map(([type, count]) => ({ type, count }))
      .toSorted((one, other) => other.count - one.count || one.type.localeCompare(other.type)),
    subjects: [...subjects],
    heardBy: [...heard]
      .map(([{ service, name, consumer }, count]) => ({
        service: service.name,
        consumer: name,
        count,
        ...(consumer?.inbox && { inbox: consumer.inbox.mode }),
      }))
      .toSorted((one, other) => other.count - one.count || one.consumer.localeCompare(other.consumer)),
  };
}
