import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import { toBusEntries } from '@orderly/kit/internal/messages/envelope.js';
import { COMMIT_PREFIX } from '@orderly/kit/internal/messages/keys.js';
import type { Service } from '../deployment/services.js';
import { type ReadCommits, readCommitsSafely } from '../records/commits.js';
import { PAGE_SIZE, type PartitionFilter, readFeedCommits, type TimeSpan } from '../records/feed.js';
import { filterUndiscarded, type ReportedCommit } from '../records/unreadable-commits.js';
import { type Delivery, findUnsubscribedMessages } from './deliveries.js';
import {
  DELIVERY_STATES,
  type DeliveryState,
  type JudgeContext,
  type JudgedDelivery,
  judgeDeliveries,
} from './judge-deliveries.js';
import { publishedMessages, type SentMessage } from './published-messages.js';

/** Findings of an audit. */
export interface AuditTotals {
  /** Commits that were read. */
  readonly commits: number;
  /** Events and commands. */
  readonly messages: number;
  /** Messages of backfills, which are never sent. */
  readonly unsent: number;
  /** Messages that no consumer subscribes to: nothing says what became of them. */
  readonly unheard: {
    readonly messages: number;
    /** Their types, in alphabetical order. */
    readonly types: readonly string[];
  };
  /** Number of deliveries in each state. */
  readonly deliveries: Readonly<Record<DeliveryState, number>>;
}

export interface AuditOptions extends JudgeContext {
  /** Called for each missing delivery, in about the order of time. The audit waits for it. */
  readonly missing: (delivery: JudgedDelivery, from: Service) => Promise<void>;
  /** Called for each commit that can't be read and that no operator has discarded. The audit continues behind it. */
  readonly unreadable: (commit: ReportedCommit, from: Service) => Promise<void>;
  /** Called with each page of commits. @default nothing more is done with them */
  readonly seen?: (commits: readonly Commit[]) => void;
  /** Called after each page, with the sums so far. */
  readonly progress?: (service: Service, audited: AuditTotals) => void;
  /** Called before each query of the feed, and each page of an aggregate; what it throws ends the audit. */
  readonly beforeEachQuery?: () => void;
  /** Whether a partition of a feed may have commits; one that has none is not asked. @default each may */
  readonly mayHaveCommits?: PartitionFilter;
  /** Most commits of a page. @default 100 */
  readonly pageSize?: number;
}

/**
 * Compares what services have committed with what became of it: each event and command in a span of time, at each
 * consumer that subscribes to it.
 * @returns the sums
 */
export async function auditSpan(span: TimeSpan, options: AuditOptions): Promise<AuditTotals> {
  const sums = new Sums();
  for (const service of options.services) {
    for await (const read of readFeedCommits(options.documents, service, span, options))
      await auditPage(service, read, sums, options);
  }
  return sums.audited;
}

/** Does the same for all commits of some aggregates. @param subjects `Order/3f…` */
export async function auditAggregates(subjects: readonly string[], options: AuditOptions): Promise<AuditTotals> {
  const sums = new Sums();
  for (const service of options.services) {
    options.beforeEachQuery?.();
    const read = await Promise.all(
      subjects.map((subject) => readCommitsSafely(options.documents, service, subject.replace('/', '#'))),
    );
    const unreadable = read.flatMap((one) => one.unreadable);
    if (unreadable.length > 0) await auditPage(service, { commits: [], unreadable }, sums, options);
    const commits = read.flatMap((one) => one.commits);
    const { pageSize = PAGE_SIZE } = options;
    for (let at = 0; at < commits.length; at += pageSize) {
      options.beforeEachQuery?.();
      await auditPage(service, { commits: commits.slice(at, at + pageSize), unreadable: [] }, sums, options);
    }
  }
  return sums.audited;
}

/** Types of aggregates that have one id, by the name of the option or parameter that takes it. The first one is the main one. */
export type AuditShortcuts = Readonly<Record<string, readonly [string, ...string[]]>>;

async function auditPage(
  service: Service,
  { commits, unreadable }: ReadCommits,
  sums: Sums,
  options: AuditOptions,
): Promise<void> {
  options.seen?.(commits);
  for (const one of await filterUndiscarded(options.documents, service, unreadable))
    await options.unreadable(one, service);
  const judged = await judgeDeliveries(service, commits, options);
  sums.add(commits, judged, findUnsubscribedMessages(service, commits, options.services));
  for (const one of judged) if (one.state === 'missing') await options.missing(one, service);
  options.progress?.(service, sums.audited);
}

class Sums {
  private commits = 0;
  private messages = 0;
  private unsent = 0;
  private unheard = 0;
  private readonly unheardTypes = new Set<string>();
  private readonly deliveries = new Map<DeliveryState, number>();

  add(commits: readonly Commit[], judged: readonly JudgedDelivery[], unheard: readonly SentMessage[]): void {
    this.commits += commits.length;
    for (const commit of commits) {
      const messages = commit.events.length + (commit.commands ?? []).length;
      this.messages += messages;
      this.unsent += messages - publishedMessages(commit).length;
    }
    this.unheard += unheard.length;
    for (const { type } of unheard) this.unheardTypes.add(type);
    for (const { state } of judged) this.deliveries.set(state, (this.deliveries.get(state) ?? 0) + 1);
  }

  get audited(): AuditTotals {
    const deliveries = Object.fromEntries(DELIVERY_STATES.map((state) => [state, this.deliveries.get(state) ?? 0]));
    return {
      commits: this.commits,
      messages: this.messages,
      unsent: this.unsent,
      unheard: { messages: this.unheard, types: [...this.unheardTypes].sort() },
      deliveries: deliveries as AuditTotals['deliveries'],
    };
  }
}

/**
 * Returns a message as its consumer's rule would have sent it to its queue.
 * @param app name of the application
 */
export function buildQueueBody({ commit, message }: Delivery, from: Service, app: string): string {
  const entries = toBusEntries(commit, { app, service: from.name });
  const at = [...commit.events, ...(commit.commands ?? [])].findIndex(({ id }) => id === message.id);
  const entry = entries[at];
  if (!entry) throw new Error(`${commit.pk}/${commit.sk.slice(COMMIT_PREFIX.length)} has no message ${message.id}`);
  const { Source, DetailType, Detail } = entry;
  const head = { version: '0', id: message.id, 'detail-type': DetailType, source: Source, time: commit.at };
  return `${JSON.stringify(head).slice(0, -1)},"detail":${Detail}}`;
}
