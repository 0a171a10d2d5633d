import { signal } from '@preact/signals';
import { ask } from './ask.js';
import { facts } from './facts.js';
import { formatDuration, formatMoment } from './format.js';
import { linkTo } from './route.js';
import { listen } from './stream.js';

/** Status of a local cloud: `GET /_local`. */
export interface LocalStatus {
  readonly now: string;
  /** Milliseconds that its clock is ahead of the machine's. */
  readonly ahead: number;
  readonly faults: readonly {
    readonly owner: string;
    readonly kind: string;
    readonly left: number;
    /** Time at which it ends, ISO 8601. */
    readonly until?: string;
  }[];
}

/** The newest status. It is read when the page opens, and again when time or faults have changed. */
export const status = signal<LocalStatus | undefined>(undefined);
const tick = signal(Date.now());

/** Milliseconds after which the status is read again although nothing has happened. */
const REREAD_AFTER = 5_000;
let read = 0;

/** Reads the status again. What fails here is shown by the connection. */
export async function readStatus(): Promise<void> {
  read = Date.now();
  const answer = await ask<LocalStatus>('/_local').catch(() => undefined);
  if (answer) status.value = answer;
}

/** Keeps the clock going. */
export function runClock(): void {
  void readStatus();
  listen(({ kind }) => {
    if (kind === 'time' || kind === 'fault') void readStatus();
  });
  setInterval(() => {
    if (document.hidden) return;
    tick.value = Date.now();
    const now = tick.value + (status.value?.ahead ?? 0);
    const hasEnded = status.value?.faults.some(({ until }) => until !== undefined && Date.parse(until) < now);
    // Somebody else may have asked for faults, or withdrawn some: nothing that happens tells it.
    if (hasEnded || Date.now() - read > REREAD_AFTER) void readStatus();
  }, 1_000);
}

/** The environment's clock, and how far it is ahead of the machine's. */
export function Clock() {
  const known = status.value;
  if (facts.value?.local === false) return null;
  if (!known) return <span class="clock">–</span>;
  const now = tick.value + known.ahead;
  return (
    <span class="clock">
      <time dateTime={new Date(now).toISOString()}>{formatMoment(now)}</time> UTC
      {known.ahead > 999 ? <span class="ahead">, {formatDuration(known.ahead)} ahead</span> : null}{' '}
      <a href={linkTo('break-it', 'time')}>What comes next?</a>
    </span>
  );
}
