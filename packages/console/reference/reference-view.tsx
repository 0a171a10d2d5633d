import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useAnswer } from '../page/loading.js';
import { linkTo } from '../page/route.js';
import { EmptyState, FailedState, LoadingState } from '../page/states.js';
import type { Reference } from '../server/reference-contract.js';
import { type EventType, fitsSearch, type Operation, readEvents, readOperations } from './documents.js';
import { EventPage } from './event-page.js';
import { OperationPage } from './operation-page.js';
import './reference.css';

type Json = Readonly<Record<string, unknown>>;

/** Routes and events of the app, as they are deployed. @param id `operation/<method> <path>` or `event/<source> <type>` */
export function ReferenceView({ id }: { readonly id: string }) {
  const reference = useAnswer<Reference>('/_console/reference').value;
  const api = useAnswer<Json>('/_console/reference/openapi').value;
  const events = useAnswer<Json>('/_console/reference/asyncapi').value;
  // An app without documents has empty ones: then the list says what the deployed resources say.
  const isReady = reference.state === 'loaded' && api.state !== 'loading' && events.state !== 'loading';
  return (
    <section aria-labelledby="reference">
      <h1 id="reference">API and events</h1>
      {reference.state === 'failed' ? <FailedState what="The reference" error={reference.error} /> : null}
      {isReady ? (
        <Loaded
          id={id}
          reference={reference.answer}
          api={api.state === 'loaded' ? api.answer : undefined}
          events={events.state === 'loaded' ? events.answer : undefined}
        />
      ) : reference.state === 'failed' ? null : (
        <LoadingState of="the reference" />
      )}
    </section>
  );
}

function Loaded(props: {
  readonly id: string;
  readonly reference: Reference;
  readonly api: Json | undefined;
  readonly events: Json | undefined;
}) {
  const { id, reference, api, events } = props;
  const operations = useMemo(() => readOperations(reference.routes, api), [reference, api]);
  const types = useMemo(() => readEvents(reference.events, events), [reference, events]);
  const [kind, ...rest] = id.split('/');
  const name = rest.join('/');
  if (kind === 'operation') {
    const found = operations.find((one) => one.id === name);
    if (found) return <OperationPage key={found.id} operation={found} callers={reference.callers} />;
  }
  if (kind === 'event') {
    const found = types.find((one) => one.id === name);
    if (found) return <EventPage key={found.id} event={found} />;
  }
  return (
    <>
      {id === '' ? null : <EmptyState>There is no '{name || id}' in this app.</EmptyState>}
      <Lists operations={operations} types={types} />
    </>
  );
}

function Lists({
  operations,
  types,
}: {
  readonly operations: readonly Operation[];
  readonly types: readonly EventType[];
}) {
  const search = useSignal('');
  const shownOperations = operations.filter(({ id, group, summary }) => fitsSearch(search.value, id, group, summary));
  const shownTypes = types.filter(({ id, summary }) => fitsSearch(search.value, id, summary));
  return (
    <>
      <search class="reference-search">
        <label>
          Find{' '}
          <input
            type="search"
            value={search.value}
            placeholder="orders, POST, StockReserved"
            onInput={({ currentTarget }) => {
              search.value = currentTarget.value;
            }}
          />
        </label>
      </search>
      <h2>
        Operations ({shownOperations.length} of {operations.length})
      </h2>
      {shownOperations.length === 0 ? <EmptyState>No operation fits.</EmptyState> : null}
      <ul class="reference-list">
        {shownOperations.map(({ id, summary }) => (
          <li key={id}>
            <a href={linkTo('reference', `operation/${id}`)}>{id}</a> <span>{summary}</span>
          </li>
        ))}
      </ul>
      <h2>
        Events and commands ({shownTypes.length} of {types.length})
      </h2>
      {shownTypes.length === 0 ? <EmptyState>No event fits.</EmptyState> : null}
      <ul class="reference-list">
        {shownTypes.map(({ id, source, type, summary }) => (
          <li key={id}>
            <a href={linkTo('reference', `event/${id}`)}>{type}</a>{' '}
            <span>
              of {source}. {summary}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
