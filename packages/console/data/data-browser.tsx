import { useSignal } from '@preact/signals';
import { formatNumber } from '../page/format.js';
import { useAnswer } from '../page/loading.js';
import { linkTo } from '../page/route.js';
import { EmptyState, FailedState, LoadingState } from '../page/states.js';
import { type DataResource, type DataResources, RESOURCE_KINDS, type ResourceKind } from '../server/data-contract.js';
import './data.css';
import { Items, Lines, Messages, Objects } from './entries.js';
import { parsePlace, placeOf } from './place.js';

const TITLES: Readonly<Record<ResourceKind, string>> = {
  tables: 'Tables',
  queues: 'Queues',
  buckets: 'Buckets',
  logs: 'Logs',
};
const CONTENT = { tables: Items, queues: Messages, buckets: Objects, logs: Lines } as const;

/** The tables, queues, buckets and logs of a local cloud, as they are. @param id `<kind>/<name>/<text>` */
export function DataBrowser({ id }: { readonly id: string }) {
  const loading = useAnswer<DataResources>('/_console/data').value;
  const { kind, name, text } = parsePlace(id);
  const Content = kind && CONTENT[kind];
  return (
    <section aria-labelledby="data">
      <h1 id="data">Data</h1>
      {Content && kind && name !== '' ? (
        <Content key={`${kind}/${name}`} name={name} text={text} />
      ) : (
        <>
          <p>
            Everything that the local cloud holds, as it holds it. Personal data is sealed. Nothing here changes
            anything.
          </p>
          {loading.state === 'loading' ? <LoadingState of="the resources" /> : null}
          {loading.state === 'failed' ? <FailedState what="The data" error={loading.error} /> : null}
          {loading.state === 'loaded' ? <Resources resources={loading.answer} /> : null}
        </>
      )}
    </section>
  );
}

function Resources({ resources }: { readonly resources: DataResources }) {
  const wanted = useSignal('');
  const hidesEmpty = useSignal(true);
  const isWanted = ({ label, name, count }: DataResource): boolean =>
    `${label} ${name}`.toLowerCase().includes(wanted.value.toLowerCase()) && !(hidesEmpty.value && count === 0);
  return (
    <>
      <search class="data-filter">
        <label>
          Name has{' '}
          <input
            type="search"
            value={wanted.value}
            onInput={({ currentTarget }) => {
              wanted.value = currentTarget.value;
            }}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={hidesEmpty.value}
            onChange={() => {
              hidesEmpty.value = !hidesEmpty.value;
            }}
          />{' '}
          only those with content
        </label>
      </search>
      {RESOURCE_KINDS.map((kind) => {
        const shown = resources[kind].filter(isWanted);
        return (
          <section key={kind} aria-labelledby={`data-${kind}`}>
            <h2 id={`data-${kind}`}>
              {TITLES[kind]} ({shown.length} of {resources[kind].length})
            </h2>
            {shown.length === 0 ? <EmptyState>None.</EmptyState> : <Names kind={kind} shown={shown} />}
          </section>
        );
      })}
    </>
  );
}

const UNITS: Readonly<Record<ResourceKind, string>> = {
  tables: 'items',
  queues: 'messages',
  buckets: 'objects',
  logs: 'lines',
};

function Names({ kind, shown }: { readonly kind: ResourceKind; readonly shown: readonly DataResource[] }) {
  return (
    <ul class="data-names">
      {shown.map(({ name, label, count, inFlight = 0 }) => (
        <li key={name}>
          <a href={linkTo('data', placeOf(kind, name))}>{label}</a>{' '}
          <span class="data-count">
            {formatNumber(count)} {UNITS[kind]}
            {inFlight > 0 ? `, ${formatNumber(inFlight)} in flight` : ''}
          </span>
        </li>
      ))}
    </ul>
  );
}
