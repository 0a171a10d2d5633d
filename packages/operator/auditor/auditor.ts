import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { parseIdTime, smallestIdAt } from '@orderly/kit/internal/aws/ids.js';
import { FEED_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import { queryItems } from '@orderly/kit/internal/aws/read-items.js';
import { countImmediately, logger } from '@orderly/kit/internal/aws/telemetry.js';
import type { Commit } from '@orderly/kit/internal/messages/commit.js';

import { excludeOwnMessages, type JudgedDelivery, judgeDeliveries } from '../audit/judge-deliveries.js';
import type { Service } from '../deployment/services.js';
import {
  type FeedEntry,
  MAX_CLOCK_SKEW_MS,
  ONE_HOUR,
  PAGE_SIZE,
  partitionOf,
  readCommitsConsistently,
} from '../records/feed.js';
import { groupBy } from '../records/group-by.js';
import {
  failureIdOf,
  filterUndiscarded,
  type ReportedCommit,
  recordUnreadable,
} from '../records/unreadable-commits.js';
import { firstNotedHour, noteHour } from './audited-hours.js';
import { AuditorMetric } from './contract.js';
import type { AuditorOptions } from './options.js';
import { ResentDeliveries } from './resent-deliveries.js';
import { type Watermark, Watermarks } from './watermarks.js';

/** Milliseconds that a run keeps free before the function's timeout. It begins nothing in this time. */
const RESERVE_MS = 20_000;
/** Queries after which a run stores how far it is: what it has to catch up with may be more than it has time for. */
const SAVED_AFTER_PAGES = 25;
/** Seconds that the first run of an auditor looks back. */
const FIRST_SECONDS = 3_600;

/**
 * Audits the feeds of all services, each from its watermark on, and sends missing deliveries again to their consumers.
 *
 * A watermark passes a commit when each of its deliveries is judged by a record. A delivery that may still be in its queue
 * holds the watermark of its shard back, as long as that queue's oldest message explains it. What was sent again is
 * followed until it has ended ({@link ResentDeliveries}), and holds nothing back.
 */
export class Auditor {
  private readonly watermarks: Watermarks;
  private readonly resent: ResentDeliveries;
  private readonly options: AuditorOptions;
  private readonly pageSize: number;
  private pagesLeft: number;

  constructor(options: AuditorOptions) {
    this.options = { ...options, transports: excludeOwnMessages(options.transports) };
    this.watermarks = new Watermarks(options.documents, options.table);
    this.resent = new ResentDeliveries(this.options);
    this.pagesLeft = options.pages;
    this.pageSize = options.pageSize ?? PAGE_SIZE;
  }

  /**
   * Runs once. After a run that is cut off, the next one continues where its last page ended.
   * @param timeLeft returns the milliseconds until the function's timeout
   * @returns the seconds by which the audit is behind, or nothing if another run is at work
   * @throws the first error, after every service was tried
   */
  async run(timeLeft: () => number): Promise<number | undefined> {
    const now = this.options.transports.now();
    const until = new Date(Date.parse(now) + timeLeft()).toISOString();
    if (!(await this.watermarks.take(now, until))) return undefined;
    const hasBudgetLeft = (): boolean => this.pagesLeft > 0 && timeLeft() > RESERVE_MS;
    const failures: unknown[] = [];
    const failed = (error: unknown): void => void failures.push(error);
    await this.resent.followUp(hasBudgetLeft).catch(failed);
    let oldest = now;
    for (const { service, mark } of await this.furthestBehindFirst(now, failed)) {
      const moved = await this.audit(service, mark, now, hasBudgetLeft).catch(failed);
      const { auditedUntil } = moved ?? mark;
      if (auditedUntil < oldest) oldest = auditedUntil;
    }
    if (failures.length > 0) throw failures[0];
    return secondsBetween(oldest, now);
  }

  /** So runs that are cut off again and again leave no service behind for ever. */
  private async furthestBehindFirst(now: string, failed: (error: unknown) => void) {
    const known = new Map((await this.watermarks.all(failed)).map((mark) => [mark.service, mark]));
    const marks: { readonly service: Service; readonly mark: Watermark }[] = [];
    for (const service of this.options.services) {
      const mark = known.get(service.name) ?? (await this.begin(service, now).catch(failed));
      if (mark) marks.push({ service, mark });
    }
    return marks.toSorted((one, other) => one.mark.auditedUntil.localeCompare(other.mark.auditedUntil));
  }

  /**
   * Stores the first watermark of a service. It is stored before anything is judged: if runs are cut off for an hour, the next
   * one begins at the same commit. What is older is audited by hand (`orderly audit`).
   */
  private begin({ name, feedShards }: Service, now: string): Promise<Watermark> {
    const auditedUntil = subtractSeconds(now, this.options.behindSeconds + FIRST_SECONDS);
    const shards = shardStarts(feedShards, [], auditedUntil);
    return this.watermarks.move({ service: name, auditedUntil, shards, version: 0 });
  }

  /** Audits one service up to the time before which every message has had its way. */
  private async audit(
    service: Service,
    read: Watermark,
    now: string,
    hasBudgetLeft: () => boolean,
  ): Promise<Watermark> {
    const end = subtractSeconds(now, this.options.behindSeconds);
    const shards = [...shardStarts(service.feedShards, read.shards, read.auditedUntil)];
    let mark: Watermark = { ...read, notedFrom: read.notedFrom ?? firstNotedHour(shards) };
    const save = async (): Promise<void> => {
      const auditedUntil = new Date(Math.min(...shards.map((id) => parseIdTime(id) ?? 0))).toISOString();
      if (auditedUntil === mark.auditedUntil && shards.every((id, shard) => id === mark.shards[shard])) return;
      mark = await this.watermarks.move({ ...mark, auditedUntil, shards: [...shards] });
    };
    let [commitsLeft, pagesLeft] = [this.pageSize, SAVED_AFTER_PAGES];
    for (const shard of shards.keys()) {
      for await (const { judgedUntil, commits, hour } of this.judgePages(
        service,
        shard,
        shards[shard] ?? '',
        end,
        hasBudgetLeft,
      )) {
        shards[shard] = judgedUntil;
        if (commits > 0) mark = { ...mark, hours: noteHour(mark.hours ?? {}, { hour, shard, now }) };
        commitsLeft -= commits;
        if (--pagesLeft > 0 && commitsLeft > 0) continue;
        await save();
        [commitsLeft, pagesLeft] = [this.pageSize, SAVED_AFTER_PAGES];
      }
    }
    await save();
    return mark;
  }

  /** Judges the commits of one shard after an id, page by page, and says after each page up to which id they are judged. */
  private async *judgePages(
    service: Service,
    shard: number,
    from: string,
    end: string,
    hasBudgetLeft: () => boolean,
  ): AsyncGenerator<{ readonly judgedUntil: string; readonly commits: number; readonly hour: number }> {
    const last = smallestIdAt(Date.parse(end));
    let hour = Math.floor((parseIdTime(from) ?? 0) / ONE_HOUR) * ONE_HOUR;
    for (let after = from; after < last && hasBudgetLeft(); ) {
      this.pagesLeft--;
      // A commit of release 0.3 or earlier has its partition from its time, and its place from the clock of its function. So at
      // a full hour its place may be before the hour.
      const first = after === smallestIdAt(hour) ? smallestIdAt(hour - MAX_CLOCK_SKEW_MS) : after;
      const { entries, isWhole } = await this.page(service, partitionOf(hour, shard), first, last);
      const judgedUntil = await this.judged(service, entries);
      const newest = entries.at(-1)?.feedSk;
      if (newest !== undefined && judgedUntil !== newest) {
        if (judgedUntil !== undefined) yield { judgedUntil, commits: entries.length, hour };
        return;
      }
      const asked = hour;
      if (isWhole || newest === undefined) {
        hour += ONE_HOUR;
        after = smallestIdAt(hour) < last ? smallestIdAt(hour) : last;
      } else after = newest;
      yield { judgedUntil: after, commits: entries.length, hour: asked };
    }
  }

  /** Reads the keys of a page of a feed's partition: oldest first, after one id and before another. */
  private async page(
    { table }: Service,
    partition: string,
    after: string,
    before: string,
  ): Promise<{ readonly entries: readonly FeedKey[]; readonly isWhole: boolean }> {
    const query = {
      TableName: table,
      IndexName: FEED_INDEX,
      KeyConditionExpression: 'feedPk = :partition AND feedSk BETWEEN :after AND :before',
      ExpressionAttributeValues: { ':partition': partition, ':after': after, ':before': before },
    };
    // The entry at which the page before ended comes again: it is no part of this one.
    const { items, next } = await queryItems(this.options.documents, query, { limit: this.pageSize + 1 });
    const found = items
      .map(({ pk, sk, feedSk }) => ({ pk: String(pk), sk: String(sk), feedSk: String(feedSk) }))
      .filter(({ feedSk }) => feedSk !== after);
    const entries = found.slice(0, this.pageSize);
    return { entries, isWhole: next === undefined && found.length === entries.length };
  }

  /**
   * Judges commits, and sends what is missing again. A commit that can't be read becomes a failure record of its relay, and holds
   * nothing back.
   * @returns the id of the last commit before the first one that can't be judged yet
   */
  private async judged(from: Service, entries: readonly FeedKey[]): Promise<string | undefined> {
    if (entries.length === 0) return undefined;
    const { documents, services, transports, behindSeconds } = this.options;
    const { commits, unreadable } = await readCommitsConsistently(documents, from, entries);
    for (const one of await filterUndiscarded(documents, from, unreadable))
      if (!one.isRecorded) await this.recordFailure(from, one);
    const deliveries = await judgeDeliveries(from, commits, {
      documents,
      services,
      transports,
      graceSeconds: behindSeconds,
    });
    const ofCommit = groupBy(deliveries, ({ commit }) => idOf(commit));
    let judgedUntil: string | undefined;
    for (const entry of entries) {
      // A commit that is gone was deleted with its table's old items: it has no deliveries.
      const its = ofCommit.get(idOf(entry)) ?? [];
      const missing = its.filter(({ state }) => state === 'missing');
      if (its.some(({ isOpen }) => isOpen) || !this.resent.mayBegin(missing.length)) return judgedUntil;
      for (const one of missing) await this.sendAgain(one, from);
      judgedUntil = entry.feedSk;
    }
    return judgedUntil;
  }

  private async recordFailure(from: Service, commit: ReportedCommit): Promise<void> {
    if (!(await recordUnreadable(this.options.documents, from, commit, this.options.transports.now()))) return;
    countImmediately(AuditorMetric.MISSING);
    logger.error('a commit can not be read', { service: from.name, commit: failureIdOf(commit), fault: commit.fault });
  }

  private async sendAgain(delivery: JudgedDelivery, from: Service): Promise<void> {
    const { listener, message } = delivery;
    countImmediately(AuditorMetric.MISSING);
    logger.warn('a delivery was missing', {
      consumer: listener.name,
      messageId: message.id,
      messageType: message.type,
    });
    await this.resent.send(delivery, from);
  }
}

type FeedKey = Pick<FeedEntry, 'pk' | 'sk'> & { readonly feedSk: string };

const idOf = ({ pk, sk }: Pick<Commit, 'pk' | 'sk'>): string => `${pk} ${sk}`;

const subtractSeconds = (now: string, seconds: number): string =>
  new Date(Date.parse(now) - seconds * 1000).toISOString();

/** Returns where each shard of a feed is to be read from: a shard that is new begins with the service's watermark. */
function shardStarts(
  feedShards: Service['feedShards'],
  known: readonly string[],
  auditedUntil: string,
): readonly string[] {
  const most = Math.max(...feedShards.map(({ shards }) => shards));
  const first = smallestIdAt(Date.parse(auditedUntil));
  return Array.from({ length: Math.max(most, known.length) }, (_, shard) => known[shard] ?? first);
}
