import type { Counted } from '@orderly/console';
import type { Happened, Happenings } from '../engine/happenings.js';

/** Names of what is counted from the stream of what happens. */
export type TalliedName = 'committed' | 'published' | 'delivered' | 'applied' | 'duplicates' | 'crashes';

/** Newest happenings of each count that are kept for its list. */
const LISTED = 100;
/** Outcomes of an invocation that has ended without an answer. */
const CRASHES = ['failed', 'answer lost'];
/**
 * What became of deliveries, by the words of consumers and of the queue. A function that says nothing of its message ends it as `done`: so
 * do the runners of inboxes, whose queue hands out what was stored before.
 */
const ENDS: Readonly<Record<string, Exclude<keyof Deliveries, 'underWay'>>> = {
  applied: 'applied',
  stored: 'stored',
  'stored for the lane': 'stored',
  duplicate: 'duplicates',
  known: 'duplicates',
  postponed: 'postponed',
  throttled: 'postponed',
  'returned to the queue': 'postponed',
  'not stored yet': 'postponed',
  refused: 'refused',
  crashed: 'crashed',
  'answer lost': 'crashed',
};
/** Outcomes of a delivery or a batch that comes again because of a crash. */
const COMES_AGAIN = ['crashed', 'answer lost'];

/** What became of each delivery. Their sum is the number of deliveries. */
export interface Deliveries {
  /** It changed something. */
  readonly applied: number;
  /** An inbox or a lane has stored it, and processes it later. */
  readonly stored: number;
  /** It changed nothing, because its message was there before. */
  readonly duplicates: number;
  /** It ended without a word: the dispatch of a stored message to its runner, and messages of functions that log none. */
  readonly done: number;
  /** It comes again, after a fault that may pass. */
  readonly postponed: number;
  /** It was refused for good, and is a failure. */
  readonly refused: number;
  /** Its function ended without an answer, so it comes again. */
  readonly crashed: number;
  /** Its function has it at this moment. */
  readonly underWay: number;
}

/** One count, and the newest of what it counts. */
class Tallied {
  value = 0;
  private newest: Happened[] = [];

  add(happened: Happened, by = 1): void {
    this.value += by;
    this.newest.push(happened);
    if (this.newest.length >= 2 * LISTED) this.newest = this.newest.slice(-LISTED);
  }

  /** Returns the newest, the newest first. */
  list(): readonly Counted[] {
    return this.newest.slice(-LISTED).reverse().map(toCounted);
  }
}

/** An invocation that has ended without an answer, and what it left to be processed again. */
interface Crash {
  readonly happened: Happened;
  /** Ids of messages, or the function itself for a batch of records. */
  readonly left: Set<string>;
}

/**
 * Counts what happens, from the beginning of the account on: whoever opens the page later sees the same numbers.
 *
 * - committed: records of a stream that a function which publishes has got for the first time. Each is one commit.
 * - published: messages that a bus has accepted, as often as it has.
 * - delivered, applied, duplicates: messages that a function got from a queue, and what it says of them. {@link Tally.deliveries} adds up.
 * - crashes: invocations that ended without an answer, and whose messages or records have been processed since.
 */
export class Tally {
  private counts = newCounts();
  /** Functions that have put events on a bus: what they read of a stream are commits. */
  private readonly publishers = new Set<string>();
  /** Records that a function has got before it published for the first time. */
  private readonly unclear = new Map<string, Happened[]>();
  /** Crashes by what they have left. */
  private readonly waiting = new Map<string, Set<Crash>>();
  /** The newest crash: what happens next tells what it has left. */
  private newest: Crash | undefined;
  /** Deliveries that a function has at this moment, by their ids. */
  private readonly underWay = new Set<string>();
  private ended = newDeliveries();
  private readonly listeners = new Set<(at: number | undefined) => void>();

  constructor(happenings: Happenings) {
    happenings.subscribe((happened) => this.take(happened));
  }

  /** Crashes whose messages or records are not processed yet, or were given up. */
  get open(): number {
    return new Set([...this.waiting.values()].flatMap((crashes) => [...crashes])).size;
  }

  valueOf(name: TalliedName): number {
    this.closeNewest();
    return this.counts[name].value;
  }

  /** Says what became of all that was delivered. */
  get deliveries(): Deliveries {
    return { ...this.ended, underWay: this.underWay.size };
  }

  list(name: TalliedName): readonly Counted[] {
    return this.counts[name].list();
  }

  /** Calls a listener with the time of each commit, and with nothing when everything begins again. */
  onCommit(listener: (at: number | undefined) => void): void {
    this.listeners.add(listener);
  }

  private take(happened: Happened): void {
    const { kind, outcome = '', messageId, owner } = happened;
    if (!this.isLeft(happened)) this.closeNewest();
    if (kind === 'time' && outcome === 'reset') this.reset();
    else if (kind === 'message') this.takeMessage(happened);
    else if (kind === 'delivery' && messageId !== undefined) this.takeDelivery(happened, messageId);
    else if (kind === 'record') this.takeRecord(happened);
    else if (kind === 'invocation' && CRASHES.includes(outcome)) this.newest = { happened, left: new Set() };
    else if (kind === 'call' && happened.target === PUBLISHES) this.takePublisher(owner);
  }

  private takeMessage(happened: Happened): void {
    const { outcome, messageId = '' } = happened;
    if (outcome === 'published') this.counts.published.add(happened);
    if (outcome === 'deleted') this.survive(messageId);
  }

  private takeDelivery(happened: Happened, messageId: string): void {
    const { id, outcome = '' } = happened;
    if (outcome === 'began') {
      this.counts.delivered.add(happened);
      this.underWay.add(id);
    } else if (this.underWay.delete(id)) {
      // Its first word counts: one that was applied, and whose answer got lost, was applied.
      const end = ENDS[outcome] ?? 'done';
      this.ended[end]++;
      if (end === 'applied' || end === 'duplicates') this.counts[end].add(happened);
    }
    if (this.isLeft(happened)) this.leave(messageId);
  }

  private takeRecord(happened: Happened): void {
    const { owner, outcome = '', receiveCount } = happened;
    if (outcome === 'done') this.survive(owner);
    if (this.isLeft(happened)) this.leave(owner);
    if (outcome !== 'began' || receiveCount !== 1) return;
    if (this.publishers.has(owner)) this.commit(happened);
    else this.unclear.set(owner, [...(this.unclear.get(owner) ?? []), happened].slice(-LISTED));
  }

  private takePublisher(owner: string): void {
    if (this.publishers.has(owner)) return;
    this.publishers.add(owner);
    for (const happened of this.unclear.get(owner) ?? []) this.commit(happened);
    this.unclear.delete(owner);
  }

  private commit(happened: Happened): void {
    this.counts.committed.add(happened, happened.records);
    for (const listener of this.listeners) listener(happened.at);
  }

  /** Says whether a delivery or a batch comes again because of the newest crash, which was the thing before. */
  private isLeft({ kind, owner, outcome = '', invocation }: Happened): boolean {
    if (!this.newest || !COMES_AGAIN.includes(outcome)) return false;
    const { happened } = this.newest;
    return kind === 'record' ? owner === happened.owner : kind === 'delivery' && invocation === happened.id;
  }

  private leave(what: string): void {
    if (!this.newest) return;
    this.newest.left.add(what);
    this.waiting.set(what, (this.waiting.get(what) ?? new Set()).add(this.newest));
  }

  /** Counts the crashes that have nothing left. */
  private survive(what: string): void {
    for (const crash of this.waiting.get(what) ?? []) {
      crash.left.delete(what);
      if (crash.left.size === 0) this.counts.crashes.add(crash.happened);
    }
    this.waiting.delete(what);
  }

  /** Counts the newest crash if it has left nothing: its caller has got an error, and asks again or not. */
  private closeNewest(): void {
    if (this.newest?.left.size === 0) this.counts.crashes.add(this.newest.happened);
    this.newest = undefined;
  }

  private reset(): void {
    this.counts = newCounts();
    this.ended = newDeliveries();
    this.underWay.clear();
    this.unclear.clear();
    this.waiting.clear();
    this.newest = undefined;
    for (const listener of this.listeners) listener(undefined);
  }
}

/** Call by which a function publishes. */
const PUBLISHES = 'events.PutEvents';

const newDeliveries = () => ({
  applied: 0,
  stored: 0,
  duplicates: 0,
  done: 0,
  postponed: 0,
  refused: 0,
  crashed: 0,
});

const newCounts = (): Readonly<Record<TalliedName, Tallied>> => ({
  committed: new Tallied(),
  published: new Tallied(),
  delivered: new Tallied(),
  applied: new Tallied(),
  duplicates: new Tallied(),
  crashes: new Tallied(),
});

function toCounted({ at, owner, outcome = '', type, subject, error, correlationId, eventId }: Happened): Counted {
  const id = correlationId ?? eventId;
  return {
    at: new Date(at).toISOString(),
    owner,
    outcome,
    ...(type !== undefined && { type }),
    ...(subject !== undefined && { subject }),
    ...(error !== undefined && { error }),
    ...(id !== undefined && { id }),
  };
}
