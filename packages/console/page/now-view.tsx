import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Counted, CountedList } from '../server/contract.js';
import { ask } from './ask.js';
import { formatTime } from './format.js';
import { linkTo } from './route.js';
import { EmptyState } from './states.js';
import { gaps, type Happened, listen } from './stream.js';

/** Lines of the list at most. */
const SHOWN = 50;
/** Counts whose newest were there before the page. */
const BEFORE = ['applied', 'duplicates', 'crashes'] as const;

/** One line: a delivery, a fault or a jump of time. */
interface Line extends Omit<Counted, 'at'> {
  readonly key: string;
  readonly at: number;
}

/** Lines since the page was opened, and those that were there before; each the newest first. */
const latest = signal<readonly Line[]>([]);
const before = signal<readonly Line[]>([]);
/** Time of the first line that the page has got itself. */
let since = Number.POSITIVE_INFINITY;

listen((happened) => {
  const { kind, outcome, at } = happened;
  since = Math.min(since, at);
  const isShown = kind === 'fault' || kind === 'time' || (kind === 'delivery' && outcome !== 'began');
  if (isShown) latest.value = [toLine(happened), ...latest.value].slice(0, SHOWN);
});

/** The latest deliveries, faults and jumps of time. */
export function NowView() {
  const missed = gaps.value;
  useEffect(() => void readBefore(), [missed]);
  const lines = [...latest.value, ...before.value].slice(0, SHOWN);
  return (
    <section aria-labelledby="now">
      <h1 id="now">Now</h1>
      <p>
        A message may arrive twice, and a function may die at any moment. Each line is one delivery of a message to a
        consumer: it is applied once, and recognised as a duplicate ever after.
      </p>
      {lines.length === 0 ? (
        <EmptyState>
          Nothing has been delivered yet. <a href={linkTo('start')}>Start</a> has a button that changes this.
        </EmptyState>
      ) : (
        <ol class="happenings" aria-label="The latest deliveries, the newest first">
          {lines.map((line) => (
            <Item key={line.key} line={line} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Item({ line: { at, outcome, type, owner, id, subject } }: { readonly line: Line }) {
  return (
    <li class={`happening ${outcome.replaceAll(' ', '-')}`}>
      <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
      <span class="outcome">{outcome}</span>
      <span>{type}</span>
      <span class="owner">{owner}</span>
      {id === undefined ? null : <a href={linkTo('order', id)}>{subject ?? id}</a>}
    </li>
  );
}

function toLine(happened: Happened): Line {
  const { number, at, owner, type, target, kind, outcome = '', fault, correlationId, subject } = happened;
  return {
    key: String(number),
    at,
    owner,
    outcome: fault ?? outcome,
    type: type ?? target ?? kind,
    ...(subject !== undefined && { subject }),
    ...(correlationId !== undefined && { id: correlationId }),
  };
}

/** Reads what was delivered before the page was opened. What fails here is shown by the connection. */
async function readBefore(): Promise<void> {
  const lists = await Promise.all(
    BEFORE.map((name) => ask<CountedList>(`/_console/counted/${name}`).catch(() => undefined)),
  );
  const items = lists.flatMap((list) => list?.items ?? []);
  before.value = items
    .map((item, at) => ({ ...item, key: `before ${at}`, at: Date.parse(item.at) }))
    .filter(({ at }) => at < since)
    .toSorted((one, other) => other.at - one.at)
    .slice(0, SHOWN);
}
