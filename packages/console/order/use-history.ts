import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { AskFailed, ask } from '../page/ask.js';
import { REMEMBERED, readRemembered } from '../page/remembered.js';
import { gaps, type Happened, listen } from '../page/stream.js';
import type { ConsoleFacts } from '../server/contract.js';
import { buildHistory } from './build-history.js';
import { type History, isEmpty } from './history.js';
import { listMessages, type Trace } from './trace.js';

/** A history on its way. It stays while a newer one is read. */
export type LoadingHistory =
  | { readonly state: 'loading' }
  /** `failure`: why the trace could not be read, so that the history may be old, or has only what a local cloud tells. */
  | { readonly state: 'loaded'; readonly history: History; readonly failure?: string }
  | { readonly state: 'failed'; readonly error: Error };

/** Milliseconds between something that happened and the next picture, and the question what became of it. */
const DRAW_AFTER = 50;
const ASK_AFTER = 250;
/** A trace costs its app some queries: between two of them is this multiple of the time that the last one took. */
const ASK_PAUSE = 3;
const KINDS = ['delivery', 'fault', 'time'];

/** Reads the history of an id, and keeps it current: what happens is drawn at once, and the trace is read again. */
export function useHistory(id: string, facts: ConsoleFacts | undefined): Signal<LoadingHistory> {
  const loading = useSignal<LoadingHistory>({ state: 'loading' });
  const missed = gaps.value;
  useEffect(() => {
    if (!facts || id === '') return;
    const reader = new HistoryReader(id, facts, (now) => {
      loading.value = now;
    });
    return () => reader.stop();
  }, [id, facts, missed]);
  return loading;
}

class HistoryReader {
  private readonly happenings = new Map<number, Happened>();
  private trace: Trace | undefined;
  private tracedUpTo = 0;
  private failure: Error | undefined;
  private isRead = false;
  private isAsking = false;
  private isAskedAgain = false;
  private pause = ASK_AFTER;
  /** Ids of its messages and of its correlations, as far as the trace tells them. */
  private messages: ReadonlySet<string> = new Set();
  private correlations: ReadonlySet<string> = new Set();
  private asks: ReturnType<typeof setTimeout> | undefined;
  private draws: ReturnType<typeof setTimeout> | undefined;
  private readonly aborted = new AbortController();
  private readonly stopListening: () => void;

  constructor(
    private readonly id: string,
    private readonly facts: ConsoleFacts,
    private readonly show: (loading: LoadingHistory) => void,
  ) {
    this.stopListening = listen((happened) => this.take(happened));
    void this.readAll();
  }

  stop(): void {
    this.aborted.abort();
    this.stopListening();
    clearTimeout(this.asks);
    clearTimeout(this.draws);
  }

  private take(happened: Happened): void {
    if (!KINDS.includes(happened.kind)) return;
    this.happenings.set(happened.number, happened);
    const [oldest] = this.happenings.keys();
    if (this.happenings.size > REMEMBERED && oldest !== undefined) this.happenings.delete(oldest);
    if (!this.isAbout(happened)) return;
    this.draws ??= setTimeout(() => {
      this.draws = undefined;
      this.draw();
    }, DRAW_AFTER);
    this.askSoon();
  }

  /** Whether something belongs to the history. Of one that nobody knows yet, it names the id. */
  private isAbout({ kind, outcome, eventId = '', correlationId = '', subject = '' }: Happened): boolean {
    if (kind === 'time') return outcome === 'forwarded';
    if (this.messages.has(eventId) || this.correlations.has(correlationId)) return true;
    return correlationId === this.id || subject.endsWith(this.id);
  }

  /** Reads the trace a moment later: of each message that ended, the commit that followed is there only. */
  private askSoon(): void {
    if (this.aborted.signal.aborted) return;
    if (this.isAsking) this.isAskedAgain = true;
    else
      this.asks ??= setTimeout(() => {
        this.asks = undefined;
        void this.askAgain();
      }, this.pause);
  }

  private async askAgain(): Promise<void> {
    this.isAsking = true;
    this.isAskedAgain = false;
    const began = performance.now();
    await this.readTrace();
    this.pause = Math.max(ASK_AFTER, ASK_PAUSE * (performance.now() - began));
    this.isAsking = false;
    this.draw();
    if (this.isAskedAgain) this.askSoon();
  }

  private async readAll(): Promise<void> {
    // What a trace lacks of what happened before it is none of its own, so that must be known first.
    await this.readHappenings();
    await this.readTrace();
    this.isRead = true;
    this.draw();
  }

  private async readTrace(): Promise<void> {
    const { noOperations } = this.facts;
    if (noOperations !== undefined) return;
    const last = Math.max(0, ...this.happenings.keys());
    try {
      const path = `/_console/operations/trace/${encodeURIComponent(this.id)}`;
      this.trace = await ask<Trace>(path, undefined, this.aborted.signal);
      this.tracedUpTo = last;
      const messages = listMessages(this.trace);
      this.messages = new Set(messages.map(({ id }) => id));
      this.correlations = new Set(messages.map(({ correlationId }) => correlationId));
      this.failure = undefined;
    } catch (error) {
      this.failure = error as Error;
    }
  }

  private async readHappenings(): Promise<void> {
    if (!this.facts.local) return;
    for (const one of await readRemembered(KINDS, this.aborted.signal)) this.happenings.set(one.number, one);
  }

  private draw(): void {
    if (!this.isRead || this.aborted.signal.aborted) return;
    const happenings = [...this.happenings.values()].toSorted((one, other) => one.number - other.number);
    const { id, trace, tracedUpTo, failure } = this;
    const history = buildHistory({ id, trace, happenings, tracedUpTo });
    if (!isEmpty(history)) this.show({ state: 'loaded', history, ...(failure && { failure: failure.message }) });
    else this.show({ state: 'failed', error: failure ?? new AskFailed(404, NOTHING) });
  }
}

const NOTHING = 'The local cloud remembers no message with this id, or with this correlation id.';
