import { signal } from '@preact/signals';
import type { HistoryHappening } from '../server/histories-contract.js';

/** One thing that happened, as `GET /_local/events` tells it. */
export type Happened = HistoryHappening;

/** State of the connection: `paused` while nobody sees the page, `by request` where nothing streams. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'down' | 'paused' | 'by request';

export const connection = signal<Connection>('connecting');
/** Number of times that the page may have missed something: views read again what they show. */
export const gaps = signal(0);

/** Milliseconds without a connection after which it counts as down. The browser keeps trying. */
const DOWN_AFTER = 10_000;

const listeners = new Set<(happened: Happened) => void>();
let source: EventSource | undefined;
let last: string | undefined;
let downs: ReturnType<typeof setTimeout> | undefined;

/** Calls a listener with each thing that happens from now on. @returns a function that ends this */
export function listen(listener: (happened: Happened) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Connects, and stays connected. A hidden page lets go of its connection, since a browser has six for one address. */
export function connect(): void {
  open();
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) pause();
    else if (!source) open();
  });
}

function open(): void {
  source = new EventSource(`/_local/events?after=${encodeURIComponent(last ?? 'last')}`);
  source.addEventListener('open', () => {
    clearTimeout(downs);
    downs = undefined;
    connection.value = 'live';
  });
  source.addEventListener('gap', () => {
    gaps.value++;
  });
  source.addEventListener('message', ({ data, lastEventId }) => {
    last = lastEventId;
    const happened = JSON.parse(data) as Happened;
    for (const listener of listeners) listener(happened);
  });
  source.addEventListener('error', () => {
    // A closed source was refused, and does not try again: the server has another token.
    if (source?.readyState === EventSource.CLOSED) connection.value = 'down';
    else if (connection.value !== 'down') {
      connection.value = 'reconnecting';
      downs ??= setTimeout(() => {
        connection.value = 'down';
      }, DOWN_AFTER);
    }
  });
}

function pause(): void {
  source?.close();
  source = undefined;
  connection.value = 'paused';
}
