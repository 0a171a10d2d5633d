import { newId } from '@orderly/kit/internal/aws/ids.js';
import { REPLAY } from '@orderly/kit/internal/failures/delivery.js';
import { buildQueueBody } from '../audit/audit.js';
import type { Delivery } from '../audit/deliveries.js';
import { appendAuditEntry, recordResult } from '../audit-log/audit-log.js';
import { atRate, portionsOf } from '../cli/at-rate.js';
import type { CommandContext } from '../cli/context.js';
import type { Interruption } from '../cli/interruptible.js';
import { formatDuration } from '../cli/text-format.js';
import type { Service } from '../deployment/services.js';
import type { SendMessage } from '../records/message-sender.js';
import { recordUnreadable } from '../records/unreadable-commits.js';
import { type Estimate, judgePages, type ReplayCounts, type ReplayReading, ReplayTally } from './estimate.js';

/** Queue and clock of a replay, at an endpoint. */
export interface ReplayAccess {
  /** Returns the time, in ISO 8601, UTC. */
  now(): string;
  /** Returns the number of messages of a queue, visible or not. */
  messagesIn(queueUrl: string): Promise<number>;
  /** Returns when a queue was created, in ISO 8601; `undefined` if it is gone. */
  createdAt(queueUrl: string): Promise<string | undefined>;
  readonly send: SendMessage;
}

export type ReplayContext = Pick<CommandContext, 'app' | 'documents' | 'services' | 'clock' | 'say'> & Interruption;

/** Result of a replay. */
export interface ReplayReport {
  readonly verdict: 'done' | 'stopped' | 'slow';
  readonly sent: number;
  /** Sums of what was read. */
  readonly counts: ReplayCounts;
  /** Time from which a replay of a span continues. */
  readonly reached: string | undefined;
}

/** Messages in the queue above which a replay waits: others that come meanwhile are processed soon, too. */
const MAX_QUEUE_LENGTH = 1_000;
/** Messages that are sent between two looks at the queue. */
const MESSAGES_PER_CHECK = 100;
/** Time between two looks while the queue is full, and after how many of them the replay stops. */
const POLL_INTERVAL_SECONDS = 5;
const MAX_POLLS = 60;
const PROGRESS_INTERVAL_MS = 2_000;
/** Message group of what is replayed. The queue is fair, so messages of other groups don't wait behind a replay. */
const GROUP = 'replay';

/** One run of a replay. It keeps no state: what has a record is not sent again. */
export class ReplayRun {
  private readonly id: string;
  private readonly sums = new ReplayTally();
  private sent = 0;
  private looked = 0;
  private told = performance.now();
  /** Time from which a replay of a span continues. */
  reached: string | undefined;

  constructor(
    private readonly context: ReplayContext,
    private readonly access: ReplayAccess,
    private readonly of: {
      readonly reading: ReplayReading;
      readonly estimate: Estimate;
      readonly rate: number;
      readonly actor: string;
      /** Description of the replayed events, for people. */
      readonly what: string;
    },
  ) {
    this.id = newId(Date.parse(context.clock.now()));
  }

  /** Sends what has no record, and keeps in the audit log how much it was, however it ends. */
  async run(): Promise<ReplayReport> {
    const { reading, actor, what, estimate } = this.of;
    const { service, consumer } = reading.target;
    const reason = `${what}: ${estimate.toSend} messages`;
    const entry = { actor, action: 'replay', target: consumer.name, reason, run: this.id } as const;
    const key = await appendAuditEntry(this.context, service, entry);
    try {
      return { verdict: await this.sendAll(), sent: this.sent, counts: this.sums.counts, reached: this.reached };
    } finally {
      await recordResult(this.context.documents, key, `${this.sent} sent`);
    }
  }

  private async sendAll(): Promise<ReplayReport['verdict']> {
    const { context } = this;
    const verdict = await atRate(this.portions(), { ...context, rate: this.of.rate }, async (portion) => {
      if (!(await this.hasRoom())) return context.stopped() ? 'stopped' : 'slow';
      await Promise.all(portion.map(({ delivery, from }) => this.send(delivery, from)));
      this.sent += portion.length;
      this.tell();
      return portion.length;
    });
    return verdict ?? (context.stopped() ? 'stopped' : 'done');
  }

  /** Yields what is to be sent: about ten portions in a second, so that a high rate doesn't wait for each message's answer. */
  private async *portions(): AsyncGenerator<readonly { readonly delivery: Delivery; readonly from: Service }[]> {
    const { documents, clock, stopped } = this.context;
    for await (const page of judgePages(this.of.reading)) {
      const from = page.service;
      this.reached = page.since;
      for (const one of page.unreadable) await recordUnreadable(documents, from, one, clock.now());
      const toSend = page.deliveries
        .filter(({ verdict }) => verdict === 'send')
        .map(({ delivery }) => ({ delivery, from }));
      yield* portionsOf(toSend, Math.max(1, Math.floor(this.of.rate / 10)));
      this.sums.add(page);
      if (stopped()) return;
    }
  }

  private async send(delivery: Delivery, from: Service): Promise<void> {
    const { target } = this.of.reading;
    // Without a time that can be relied on, the age gate stays as it is for every message.
    const mark = target.since === undefined ? {} : { [REPLAY]: this.id };
    await this.access.send(target.consumer.queueUrl, buildQueueBody(delivery, from, this.context.app), mark, GROUP);
  }

  /** Waits while the consumer is behind. @returns false if it stays so, or the operator stops */
  private async hasRoom(): Promise<boolean> {
    if (this.sent < this.looked) return true;
    this.looked = this.sent + MESSAGES_PER_CHECK;
    const { name, queueUrl } = this.of.reading.target.consumer;
    for (let looks = 0; looks < MAX_POLLS; looks++) {
      const waiting = await this.access.messagesIn(queueUrl);
      if (waiting <= MAX_QUEUE_LENGTH) return true;
      this.context.say(`${name}: waits, since its queue has ${waiting} messages`);
      await this.context.wait(POLL_INTERVAL_SECONDS);
      if (this.context.stopped()) return false;
    }
    return false;
  }

  private tell(): void {
    if (performance.now() - this.told < PROGRESS_INTERVAL_MS) return;
    this.told = performance.now();
    const { estimate, rate, reading } = this.of;
    const left = Math.max(0, estimate.toSend - this.sent);
    const at = this.reached === undefined ? '' : `, at ${this.reached}`;
    const { name } = reading.target.consumer;
    this.context.say(
      `${name}: ${this.sent} of ${estimate.toSend} sent${at}, about ${formatDuration(left / rate)} left`,
    );
  }
}
