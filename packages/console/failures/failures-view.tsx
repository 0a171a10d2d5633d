import { useSignal } from '@preact/signals';
import { CommandBox } from '../commands/command-box.js';
import { Answered } from '../page/answered.js';
import { formatMoment, formatNumber } from '../page/format.js';
import { useFresh } from '../page/loading.js';
import { EmptyState } from '../page/states.js';
import { Trend } from './trend.js';
import './failures.css';

interface Failures {
  readonly causes: readonly Cause[];
  readonly unreadable: number;
}

/** Failures with one cause, across all consumers: the JSON of `failures groups`. */
interface Cause {
  readonly id: string;
  readonly kind: 'failure' | 'stuck saga';
  readonly error: string;
  readonly message: string;
  readonly publisher?: string;
  readonly type?: string;
  readonly count: number;
  readonly more: boolean;
  readonly groups: readonly {
    readonly id: string;
    readonly service: string;
    readonly consumer: string;
    readonly count: number;
  }[];
  readonly first?: string;
  readonly last?: string;
  readonly trend: readonly number[];
  readonly lastHour: number;
  readonly older: number;
  readonly unknown: number;
  readonly subjects: { readonly count: number; readonly newest: readonly string[] };
  readonly customers?: { readonly count: number; readonly newest: readonly string[] };
  readonly note?: {
    readonly owner?: string;
    readonly ticket?: string;
    readonly note?: string;
    readonly by: string;
    readonly at: string;
  };
  readonly sample?: string;
  readonly next: string;
  readonly close: string;
  readonly page?: string;
}

/** Everything that failed, by its cause: what it concerns, who takes care of it, and the commands that end it. */
export function FailuresView({ id }: { readonly id: string }) {
  const [loading, readAgain] = useFresh<Failures>('/_console/read/failures');
  return (
    <section aria-labelledby="failures">
      <h1 id="failures">Failures</h1>
      <Answered what="The failures" of={loading}>
        {({ causes, unreadable }) => (
          <>
            {causes.length === 0 ? <EmptyState>Nothing has failed for good, and no saga is stuck.</EmptyState> : null}
            <Cards causes={causes} opened={id} onEnd={readAgain} />
            {unreadable === 0 ? null : <p>{unreadable} stuck sagas can't be read by this release.</p>}
          </>
        )}
      </Answered>
    </section>
  );
}

/** Cards that are drawn at once: a thousand of them would take seconds. */
const PAGE = 50;

/** A card for each cause, those with the most failures first, page by page. */
function Cards(props: { readonly causes: readonly Cause[]; readonly opened: string; readonly onEnd: () => void }) {
  const { causes, opened, onEnd } = props;
  const pages = useSignal(1);
  const text = useSignal('');
  const wanted = text.value.trim().toLowerCase();
  const found = wanted === '' ? causes : causes.filter((cause) => wordsOf(cause).includes(wanted));
  // The card that the address names is shown, wherever it is.
  const shown = found.filter(({ id }, at) => at < pages.value * PAGE || id === opened);
  return (
    <>
      {causes.length > PAGE ? (
        <p>
          <label>
            Search in {formatNumber(causes.length)} causes{' '}
            <input
              type="search"
              value={text.value}
              onInput={({ currentTarget }) => {
                text.value = currentTarget.value;
                pages.value = 1;
              }}
            />
          </label>
        </p>
      ) : null}
      <ul class="cards">
        {shown.map((cause) => (
          <li key={cause.id}>
            <CauseCard cause={cause} isOpen={cause.id === opened} onEnd={onEnd} />
          </li>
        ))}
      </ul>
      {causes.length > PAGE ? (
        <p role="status">
          {formatNumber(shown.length)} of {formatNumber(found.length)} are shown.
        </p>
      ) : null}
      {shown.length < found.length ? (
        <button type="button" onClick={() => pages.value++}>
          Show {Math.min(PAGE, found.length - shown.length)} more
        </button>
      ) : null}
    </>
  );
}

/** Returns all words by which a cause is found. */
const wordsOf = ({ id, error, message, publisher, type, groups, note }: Cause): string =>
  [id, error, message, publisher, type, note?.owner, note?.ticket, ...groups.map(({ consumer }) => consumer)]
    .join(' ')
    .toLowerCase();

function CauseCard({
  cause,
  isOpen,
  onEnd,
}: {
  readonly cause: Cause;
  readonly isOpen: boolean;
  readonly onEnd: () => void;
}) {
  const { kind, error, message, publisher, type, count, more, groups, trend, lastHour, note, page } = cause;
  return (
    <article class="cause" aria-label={`${error}, ${count} ${kind}s`}>
      <h2>
        {more ? 'at least ' : ''}
        {formatNumber(count)} × {error}
      </h2>
      <p>{message}</p>
      <p class="faint">
        {[
          publisher && `sent by ${publisher}`,
          type,
          `${groups.length === 1 ? 'one consumer' : `${groups.length} consumers`}`,
        ]
          .filter(Boolean)
          .join(', ')}
      </p>
      <div class="over-time">
        <Trend counts={trend} />
        <span>
          {lastHour} in the last hour{cause.older === 0 ? '' : `, ${cause.older} before these 24 hours`}
        </span>
      </div>
      <p>{describeNote(note)}</p>
      {page === undefined ? null : <p>What to do: {page}</p>}
      <details open={isOpen}>
        <summary>Details and commands</summary>
        <Facts cause={cause} />
        {cause.sample === undefined ? null : <CommandBox command={cause.sample} label="Show the newest one" />}
        <CommandBox command={dryRunOf(cause.next)} label="Say what a redrive would do" />
        <CommandBox
          command={cause.next}
          label="Process it again, once the cause is gone: one message goes first, as a probe"
          onEnd={onEnd}
        />
        <CommandBox command={cause.close} label="End it by a decision: they are never processed" onEnd={onEnd} />
        <CommandBox
          command={`failures annotate ${cause.id} --owner '<who>' --ticket '<number>' --note '<what>'`}
          label="Note who takes care of it"
          onEnd={onEnd}
        />
      </details>
    </article>
  );
}

const dryRunOf = (command: string): string => `${command} --dry-run`;

function describeNote(note: Cause['note']): string {
  if (!note) return 'Nobody has noted that they take care of it.';
  const { owner, ticket, note: text, by, at } = note;
  const said = [owner && `${owner} takes care of it`, ticket && `ticket ${ticket}`, text].filter(Boolean).join('; ');
  return `${said} (noted by ${by}, ${formatMoment(Date.parse(at))} UTC)`;
}

function Facts({ cause: { groups, first, last, unknown, subjects, customers } }: { readonly cause: Cause }) {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['At', groups.map(({ service, consumer, count }) => `${service}/${consumer}: ${count}`).join(', ')],
    ['First', first && `${formatMoment(Date.parse(first))} UTC`],
    ['Last', last && `${formatMoment(Date.parse(last))} UTC`],
    ['About', subjects.count === 0 ? undefined : sampleOf(subjects)],
    ['Customers', customers && customers.count > 0 ? sampleOf(customers) : undefined],
    ['Unknown', unknown > 0 ? `${unknown} may have been processed before: a redrive leaves them out` : undefined],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, text]) =>
        text === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

const sampleOf = ({ count, newest }: { readonly count: number; readonly newest: readonly string[] }): string =>
  count > newest.length ? `${newest.join(', ')} and ${count - newest.length} others` : newest.join(', ');
