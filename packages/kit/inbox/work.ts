import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { TransactionRefused, type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { newId } from '../aws/ids.js';
import { retryOnConflict } from '../aws/optimistic-retry.js';
import { safeText } from '../aws/safe-error.js';
import { describeError, logger } from '../aws/telemetry.js';
import { type ClaimedMessage, isHeldBy, LeaseLost } from './claimed-message.js';
import type { StoredMessages } from './stored-messages.js';

/** Work on one message: what a handler of an inbox gets besides the message. */
export interface Work {
  /** Number of this attempt since the newest progress, from 1. */
  readonly attempt: number;
  /** Progress that the newest `save` stored, of this attempt or of an earlier one; `undefined` at first. */
  readonly progress: unknown;
  /**
   * Saves progress, in one transaction with writes. The next attempt continues there. After a crash, the writes and the
   * progress are both there, or neither is. From a save on that changes the progress, attempts are counted from 1 again: so
   * a page of long work doesn't use up the attempts of the next one.
   * @param progress a value that JSON can hold, of at most 100 KB together with the message
   * @throws {LeaseLost} if another runner has taken the message: nothing was written
   * @throws {TransactionRefused} if a condition of one of the writes failed: nothing was written
   * @throws any other error if it is not known whether the transaction took effect. Let it end the attempt: the next one
   *   finds the progress of whatever did
   */
  save(progress: unknown, writes?: readonly TransactWriteItem[]): Promise<void>;
  /**
   * Returns an idempotency key for a call to another system: the same one in each attempt, and another one for each
   * message and each call.
   * @param call name of the call, for example `refund`
   */
  idempotencyKey(call: string): string;
  /** Aborts if the runner loses its lease. Pass it to calls that take long. */
  readonly signal: AbortSignal;
  /** Returns the milliseconds until the function's timeout. */
  timeLeft(): number;
}

/** Share of the lease after which it is renewed. */
const RENEWAL_PART = 1 / 3;

/** Lease of a runner on one message. It is renewed until it is stopped, so the work may take longer than the lease. */
export class LeasedWork implements Work {
  private readonly lost = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  /** The write to the record that is under way. Two at once would conflict. */
  private writing: Promise<unknown> = Promise.resolve();
  private saved: Pick<ClaimedMessage, 'progress' | 'progressId'>;

  constructor(
    private readonly messages: StoredMessages,
    private readonly claimed: ClaimedMessage,
    private readonly leaseSeconds: number,
    readonly timeLeft: () => number,
  ) {
    this.saved = claimed;
    this.scheduleRenewal();
  }

  get attempt(): number {
    return this.claimed.attempts;
  }

  /** Whether this attempt has saved progress. */
  get hasSaved(): boolean {
    return this.saved !== this.claimed;
  }

  get progress(): unknown {
    return this.saved.progress;
  }

  get signal(): AbortSignal {
    return this.lost.signal;
  }

  idempotencyKey(call: string): string {
    return createHash('sha256')
      .update(JSON.stringify([this.claimed.messageId, call]))
      .digest('hex')
      .slice(0, 40);
  }

  save(progress: unknown, writes: readonly TransactWriteItem[] = []): Promise<void> {
    return this.runExclusively(async () => {
      const id = newId();
      const isNew = !isDeepStrictEqual(progress, this.saved.progress);
      const save = { progress, id, follows: this.saved.progressId, isNew };
      await retryOnConflict(async () => {
        const saving = this.messages.saveWrite(this.claimed, save, this.leaseSeconds);
        try {
          await transact([saving, ...writes]);
        } catch (error) {
          if (!(error instanceof TransactionRefused)) throw error;
          // A write that a condition refused is refused again: the caller decides.
          if (!error.conditionFailedFor(saving)) throw new SaveRefused(error);
          const found = error.existingItem(saving);
          if (!isHeldBy(found, this.claimed)) throw this.loseLease(error);
          // After a lost answer and a conflict, the next try finds what this very save wrote.
          if (found?.progressId !== id) throw new Error('an earlier save took effect whose answer was lost');
        }
      }).catch((error: unknown) => {
        throw error instanceof SaveRefused ? error.refused : error;
      });
      this.saved = { progress, progressId: id };
      // The runner judges a failure by the attempts of what it holds.
      if (isNew) Object.assign(this.claimed, { attempts: 1 });
    });
  }

  /** Ends the renewals, and waits for the one that is under way. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.writing.catch(() => undefined);
  }

  private scheduleRenewal(): void {
    this.timer = setTimeout(() => void this.renew(), this.leaseSeconds * 1000 * RENEWAL_PART);
  }

  private async renew(): Promise<void> {
    try {
      await this.runExclusively(() => this.messages.renew(this.claimed, this.leaseSeconds));
    } catch (error) {
      if (error instanceof LeaseLost) {
        this.loseLease(error);
        return;
      }
      logger.warn('a lease was not renewed', { record: this.claimed.pk, ...describeError(error) });
    }
    if (this.timer) this.scheduleRenewal();
  }

  private loseLease(cause: unknown): LeaseLost {
    const lost = new LeaseLost(safeText`another runner holds the message`, { cause });
    this.lost.abort(lost);
    return lost;
  }

  private runExclusively<T>(write: () => Promise<T>): Promise<T> {
    const next = this.writing.catch(() => undefined).then(write);
    this.writing = next;
    return next;
  }
}

/** Carries a refusal past the retries of write conflicts. */
class SaveRefused extends Error {
  constructor(readonly refused: TransactionRefused) {
    super('refused');
  }
}
