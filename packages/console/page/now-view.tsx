import { signal } from '@preact/signals';
import { formatTime } from './format.js';
import { linkTo } from './route.js';
import { EmptyState } from './states.js';
import { type Happened, listen } from './stream.js';

/** Lines of the list at most. */
const SHOWN = 50;

/** Deliveries, faults and jumps of time since the page was opened, the newest first. */
const latest = signal<readonly Happened[]>([]);
listen((happened) => {
  const { kind, outcome } = happened;
  const isShown = kind === 'fault' || kind === 'time' || (kind === 'delivery' && outcome !== 'began');
  if (isShown) latest.value = [happened, ...latest.value].slice(0, SHOWN);
});

/** The latest deliveries, faults and jumps of time. */
export function NowView() {
  return (
    <section aria-labelledby="now">
      <h1 id="now">Now</h1>
      <p>
        A message may arrive twice, and a function may die at any moment. Each line is one delivery of a message to a
        consumer: it is applied once, and recognised as a duplicate ever after.
      </p>
      {latest.value.length === 0 ? (
        <EmptyState>Nothing has been delivered since this page was opened.</EmptyState>
      ) : (
        <ol class="happenings" aria-label="The latest deliveries, the newest first">
          {latest.value.map((one) => (
            <Line key={one.number} happened={one} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Line({ happened }: { readonly happened: Happened }) {
  const { at, owner, type, target, kind, outcome = '', fault, correlationId, subject } = happened;
  const said = fault ?? outcome;
  return (
    <li class={`happening ${said.replaceAll(' ', '-')}`}>
      <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
      <span class="outcome">{said}</span>
      <span>{type ?? target ?? kind}</span>
      <span class="owner">{owner}</span>
      {correlationId === undefined ? null : <a href={linkTo('order', correlationId)}>{subject ?? correlationId}</a>}
    </li>
  );
}
