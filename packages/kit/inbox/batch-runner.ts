import { clock } from '../aws/clock.js';
import { computeExpiry } from '../aws/dedupe-window.js';
import type { Item, TransactWriteItem } from '../aws/dynamodb.js';
import { newTraceparent } from '../aws/ids.js';
import { retryOnConflict } from '../aws/optimistic-retry.js';
import { safeText } from '../aws/safe-error.js';
import { PENDING } from '../failures/delivery.js';
import { readStoredPayload } from '../failures/stored-payload.js';
import { decodeMessage, type Handling } from '../idempotent-consumer/message-source.js';
import { toMessageTrace } from '../idempotent-consumer/process-message.js';
import type { Decide } from '../idempotent-consumer/process-once.js';
import type { AnyEvent } from '../messages/contract.js';
import { readEnvelope, senderOf } from '../messages/envelope.js';
import { logMessage } from '../messages/message-line.js';
import type { Dispatch } from '../timers/contract.js';
import type { BatchHandlers, ClosedWindow, CollectedMessage, CollectedSource } from './batch-source.js';
import { CollectedMessages, type Uncollected, type WindowRecord } from './collected-messages.js';
import { type Outcome, RunnerBase, type RunnerBaseOptions } from './runner-base.js';
import { type ClaimedMessage, LeaseLost } from './stored-messages.js';
import { isWindowMessageId } from './window-keys.js';
import type { Windows } from './windows.js';
import { LeasedWork } from './work.js';

export interface BatchRunnerOptions extends RunnerBaseOptions {
  readonly sources: readonly CollectedSource[];
  readonly windows: Windows;
  readonly handlers: BatchHandlers<AnyEvent>;
}

/** Milliseconds by which the clocks of the sweeper and of a runner may differ. */
const CLOCK_MARGIN_MS = 5_000;
/** Seconds after which a window is looked at again whose predecessors have not closed. */
const TURN_SECONDS = 60;
/** Part of an invocation's time after which it begins no page, but leaves it to another invocation. */
const TIME_PART = 1 / 2;

/**
 * Runner of an inbox in mode batch. Messages get their places in windows. A window that is due closes, and then its pages
 * are processed one after the other: by one runner, under the lease of the window.
 *
 *     OPEN --(closesAt)--> closed, numbered --> page 1 --> page 2 ... --> close --> PROCESSED
 *
 * Each arrow is one transaction that checks the fencing token. After a crash, the next runner continues with the page whose
 * effect has not committed.
 */
export class BatchRunner extends RunnerBase {
  protected override readonly messages: CollectedMessages;

  constructor(protected override readonly options: BatchRunnerOptions) {
    super(options);
    const { table, consumer, windows, settings } = options;
    const { pageSize, graceSeconds = 0 } = settings;
    this.messages = new CollectedMessages({ table, consumer, windows, pageSize, graceSeconds });
  }

  override async runAll(dispatches: readonly Dispatch[], timeLeft: () => number): Promise<void> {
    const records = (await Promise.all(dispatches.map(({ record }) => this.messages.read(record)))).filter(
      (record) => record?.status === PENDING,
    );
    const findDispatch = ({ pk }: Item): Dispatch =>
      dispatches.find(({ record, fence }) => record === pk && fence !== undefined) ?? { record: String(pk) };
    const windows = records.filter((record) => isWindowMessageId(String(record?.messageId)));
    const messages = records.filter((record) => record && !windows.includes(record)) as Item[];
    if (messages.length > 0) await this.collect(messages.map(findDispatch));
    for (const record of windows) if (record) await this.runWindow(record, findDispatch(record), timeLeft);
  }

  /** Gives messages their places. One that breaks its contract fails alone. */
  private async collect(messages: readonly Dispatch[]): Promise<void> {
    // A key may have been handed out twice.
    const dispatches = new Map(messages.map((handOut) => [handOut.record, handOut]));
    await retryOnConflict(async () => {
      const waiting: Uncollected[] = [];
      for (const record of await this.messages.readAll([...dispatches.keys()])) {
        if (record.status !== PENDING || record.window !== undefined) continue;
        const dispatch = dispatches.get(String(record.pk)) ?? { record: String(record.pk) };
        const own = await this.findWindow(record, dispatch);
        if (own !== undefined) waiting.push({ pk: String(record.pk), own });
      }
      if (waiting.length > 0) await this.messages.collect(waiting);
    });
    logMessage('collected', { consumer: this.options.consumer.name, messages: messages.length });
  }

  /** @returns the window of the event's time; `undefined` if the message can't be read: it is tried again, or has failed */
  private async findWindow(record: Item, dispatch: Dispatch): Promise<string | undefined> {
    const { sources, windows, settings } = this.options;
    try {
      const envelope = readEnvelope(readStoredPayload(record) ?? '');
      decodeMessage(sources, envelope, [senderOf(envelope)]);
      return windows.idOf(envelope.time);
    } catch (error) {
      const claimed = await this.messages.claim(dispatch, settings);
      // A type or a version of a newer release waits until its attempts are used up, as in the other modes.
      if (claimed) this.log(await this.runGuarded(claimed, () => Promise.reject(error)), dispatch.record, claimed);
      return undefined;
    }
  }

  private async runWindow(record: Item, dispatch: Dispatch, timeLeft: () => number): Promise<void> {
    const window = this.messages.toWindowRecord(record);
    if (Date.parse(window.closesAt) > Date.parse(clock.now()) + CLOCK_MARGIN_MS) return;
    const calendar = await this.messages.readCalendar();
    const isItsTurn = window.number !== undefined || calendar?.next === window.id;
    if (!isItsTurn) return this.messages.defer(window.pk, TURN_SECONDS);
    const claimed = await this.messages.claim(dispatch, this.options.settings);
    // Its attempts are those of the page that is being processed.
    const held = claimed && { ...claimed };
    this.log(
      held ? await this.runGuarded(held, () => this.processWindow(held, timeLeft)) : 'not free',
      window.pk,
      claimed,
    );
  }

  /** Closes a window that is still open, and processes its remaining pages. */
  private async processWindow(held: Mutable<ClaimedMessage>, timeLeft: () => number): Promise<Outcome> {
    const enough = timeLeft() * TIME_PART;
    const window = await retryOnConflict(() => this.ensureClosed(held));
    const pages = Math.ceil(window.size / window.pageSize);
    for (let page = window.done + 1; page <= pages; page++) {
      if (timeLeft() < enough) {
        await this.messages.release(held);
        return 'unfinished';
      }
      await this.processPage(held, { ...window, pages }, page, timeLeft);
      Object.assign(held, { attempts: 1, failures: [], progress: undefined, progressId: undefined });
    }
    await this.runStep(held, 'close', timeLeft, async (work) => {
      const handling = await this.options.handlers.close(this.toClosedWindow({ ...window, pages }, 'close'), work);
      return { handling, writes: [], claim: () => this.messages.processedWrite(held, this.expiry()) };
    });
    return 'applied';
  }

  /**
   * Closes the window, unless that is done.
   * @throws {WriteConflict} if it has grown meanwhile
   * @throws {LeaseLost}
   */
  private async ensureClosed(claimed: ClaimedMessage): Promise<WindowRecord & { readonly number: number }> {
    const record = await this.messages.read(claimed.pk);
    const calendar = await this.messages.readCalendar();
    if (record?.fence !== claimed.fence || !calendar) throw new LeaseLost(safeText`another runner holds the window`);
    const window = this.messages.toWindowRecord(record);
    const number = window.number ?? (await this.messages.close(claimed, window, calendar));
    return { ...window, number };
  }

  private async processPage(
    held: ClaimedMessage,
    window: WindowRecord & { readonly number: number; readonly pages: number },
    page: number,
    timeLeft: () => number,
  ): Promise<void> {
    const keys = await this.messages.readPageKeys(window.id, page);
    const messages = (await this.messages.readAll(keys)).map((record) => this.toCollectedMessage(record));
    await this.runStep(held, `page ${page}`, timeLeft, async (work) => {
      const handling = await this.options.handlers.page(
        { page, messages },
        this.toClosedWindow(window, `page ${page}`),
        work,
      );
      return {
        handling,
        writes: this.messages.processedWrites(window.id, page, keys, this.expiry()),
        claim: () => this.messages.pageWrite(held, page, this.options.settings.leaseSeconds),
      };
    });
  }

  /**
   * Lets a handler work on one step of a window, and commits its effect with the progress of the window.
   * @throws {LeaseLost}
   */
  private async runStep(
    held: ClaimedMessage,
    name: string,
    timeLeft: () => number,
    handle: (work: LeasedWork) => Promise<Step>,
  ): Promise<void> {
    const { settings } = this.options;
    const own = { ...held, messageId: `${held.messageId}/${name}` };
    const work = new LeasedWork(this.messages, own, settings.leaseSeconds, timeLeft);
    let step: Step;
    try {
      step = await handle(work);
    } finally {
      // A renewal at the same time would conflict with the effect.
      await work.stop();
    }
    const { handling, writes, claim } = step;
    if ('project' in handling) await handling.project();
    const decide: Decide = async (refused) => [
      ...writes,
      ...('decide' in handling ? await handling.decide(refused) : []),
    ];
    const outcome = await this.commitHeld(held, claim, decide);
    if (outcome === 'lost') throw new LeaseLost(safeText`another runner holds the window`);
  }

  private toCollectedMessage(record: Item): CollectedMessage<AnyEvent> {
    const { sources, service } = this.options;
    const envelope = readEnvelope(readStoredPayload(record) ?? '');
    const { event } = decodeMessage(sources, envelope, [senderOf(envelope)]);
    const { lateFrom } = record;
    return {
      envelope,
      event,
      trace: toMessageTrace(envelope, service),
      ...(typeof lateFrom === 'string' ? { lateFrom } : {}),
    };
  }

  private toClosedWindow(
    { id, number, size, pages }: WindowRecord & { readonly number: number; readonly pages: number },
    step: string,
  ): ClosedWindow {
    const { service, consumer } = this.options;
    const trace = {
      trigger: `${consumer.name}/${id}/${step}`,
      actor: `service:${service}`,
      correlationId: `${consumer.name}/${id}`,
      traceparent: newTraceparent(),
    };
    return { id, number, size, pages, trace };
  }

  private expiry(): number {
    return computeExpiry(this.options.windowSeconds, clock.epochSeconds());
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Step {
  readonly handling: Handling;
  readonly writes: readonly TransactWriteItem[];
  /** Returns the write that moves the window on. It fails if the lease is lost. */
  readonly claim: () => TransactWriteItem;
}
