import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  type Delivery,
  expectedDeliveries,
  findDeliveryRecord,
  readDeliveryRecords,
  readUnpublishedCommits,
} from '../audit/deliveries.js';
import type { Service } from '../deployment/services.js';
import { RECORDED_STATES, type RecordedState, recordedState } from '../records/message-locations.js';
import { filterUndiscarded, type ReportedCommit } from '../records/unreadable-commits.js';
import { findPublishers, readSelectedCommits, type Selection } from './selection.js';
import { isRecognised, type ReplayTarget } from './target.js';

/** Seconds from the judgement of a message to its delivery, at most: a message waits in its queue. */
const ON_ITS_WAY_SECONDS = 3_600;

/** Sums of a replay. */
export interface ReplayCounts {
  readonly commits: number;
  /** Commits that can't be read, and that no operator has discarded: what is in them is not replayed. */
  readonly unreadable: number;
  /** Events and commands that the consumer subscribes to. */
  readonly messages: number;
  /** Without a record, and safe to send. */
  readonly toSend: number;
  /** Without a record, and too old to be recognised. */
  readonly tooOld: number;
  /** With a record, by what it says. These are not sent. */
  readonly recorded: Readonly<Record<RecordedState, number>>;
}

/** Services and times that a replay reads, and for whom. */
export interface ReplayReading {
  readonly documents: DynamoDBDocumentClient;
  readonly services: readonly Service[];
  readonly target: ReplayTarget;
  readonly selection: Selection;
  /** Returns the time, in ISO 8601, UTC. */
  readonly now: () => string;
}

/** Deliveries of a page of commits, with what they count for. */
export interface JudgedPage {
  readonly service: Service;
  readonly since: string | undefined;
  readonly commits: number;
  readonly unreadable: readonly ReportedCommit[];
  readonly deliveries: readonly { readonly delivery: Delivery; readonly verdict: RecordedState | 'send' | 'too old' }[];
}

/**
 * Reads the selected commits, and judges each of their messages that the consumer subscribes to. Records are read eventually
 * consistent: a message that is sent although its record is there is a duplicate, which the consumer recognises. A commit
 * that its relay could not publish is another failure, and not sent.
 */
export async function* judgePages({
  documents,
  services,
  target,
  selection,
  now,
}: ReplayReading): AsyncGenerator<JudgedPage> {
  const { consumer } = target;
  const publishers = findPublishers(consumer, services);
  for await (const { service, commits, since, ...page } of readSelectedCommits(documents, publishers, selection)) {
    const unreadable = await filterUndiscarded(documents, service, page.unreadable);
    const all = expectedDeliveries(service, commits, { services, consumer: consumer.name });
    const deliveries = all.filter(({ message }) => selection.kind !== 'event' || message.id === selection.id);
    const records = await readDeliveryRecords(deliveries, { documents }, { consistent: false, generations: 'present' });
    const unrecorded = deliveries.filter((delivery) => findDeliveryRecord(delivery, records) === undefined);
    const unpublished = await readUnpublishedCommits(unrecorded, service, { documents });
    const when = addSeconds(now(), ON_ITS_WAY_SECONDS);
    const judged = deliveries.map((delivery) => {
      const record = findDeliveryRecord(delivery, records);
      if (record) return { delivery, verdict: recordedState(record, delivery.listener) };
      const publication = unpublished.get(delivery.commit);
      if (publication) return { delivery, verdict: recordedState(publication, {}) };
      return { delivery, verdict: isRecognised(target, delivery, when) ? ('send' as const) : ('too old' as const) };
    });
    yield { service, since, commits: commits.length, unreadable, deliveries: judged };
  }
}

/** Adds up pages. */
export class ReplayTally {
  private commits = 0;
  private unreadable = 0;
  private readonly verdicts = new Map<string, number>();

  add({ commits, unreadable, deliveries }: JudgedPage): void {
    this.commits += commits;
    this.unreadable += unreadable.length;
    for (const { verdict } of deliveries) this.verdicts.set(verdict, this.of(verdict) + 1);
  }

  get counts(): ReplayCounts {
    const recorded = Object.fromEntries(RECORDED_STATES.map((state) => [state, this.of(state)]));
    return {
      commits: this.commits,
      unreadable: this.unreadable,
      messages: [...this.verdicts.values()].reduce((sum, one) => sum + one, 0),
      toSend: this.of('send'),
      tooOld: this.of('too old'),
      recorded: recorded as ReplayCounts['recorded'],
    };
  }

  private of(verdict: string): number {
    return this.verdicts.get(verdict) ?? 0;
  }
}

/** Sums of a replay, before anything is sent. */
export interface Estimate extends ReplayCounts {
  /** Time from which on no message is too old, if any message isn't. */
  readonly safeFrom: string | undefined;
}

/** Reads everything that a replay would read, and sends nothing. */
export async function estimateReplay(reading: ReplayReading): Promise<Estimate> {
  const sums = new ReplayTally();
  let safeFrom: string | undefined;
  for await (const page of judgePages(reading)) {
    sums.add(page);
    // The operator reads the advice first, so it holds for a while.
    const when = addSeconds(reading.now(), 2 * ON_ITS_WAY_SECONDS);
    for (const { delivery } of page.deliveries) {
      const { at } = delivery.commit;
      if ((safeFrom === undefined || at < safeFrom) && isRecognised(reading.target, delivery, when)) safeFrom = at;
    }
  }
  return { ...sums.counts, safeFrom };
}

const addSeconds = (time: string, seconds: number): string =>
  new Date(Date.parse(time) + seconds * 1_000).toISOString();
