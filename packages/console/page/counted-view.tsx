import type { Counted, CountedList, CountName } from '../server/contract.js';
import { COUNT_NAMES } from '../server/contract.js';
import { formatMoment, formatNumber } from './format.js';
import { useAnswer } from './loading.js';
import { proof, WORDS } from './proof.js';
import { linkTo } from './route.js';
import { EmptyState, FailedState, LoadingState } from './states.js';

/** The newest things that one number of the proof strip counts. */
export function CountedView({ id }: { readonly id: string }) {
  const name = COUNT_NAMES.find((one) => one === id);
  return name ? <List name={name} key={name} /> : <h1>No number is called '{id}'</h1>;
}

function List({ name }: { readonly name: CountName }) {
  const count = proof.value?.counts[name];
  const version = count && 'value' in count ? count.value : 'unknown';
  // Asked again when the number has changed.
  const list = useAnswer<CountedList>(`/_console/counted/${name}?at=${version}`).value;
  return (
    <section aria-labelledby="counted">
      <h1 id="counted">{WORDS[name].label}</h1>
      <p>{WORDS[name].about}</p>
      {list.state === 'loading' ? <LoadingState of={WORDS[name].label} /> : null}
      {list.state === 'failed' ? <FailedState what="The list" error={list.error} /> : null}
      {list.state === 'loaded' ? <Items list={list.answer} /> : null}
    </section>
  );
}

function Items({ list: { count, items } }: { readonly list: CountedList }) {
  if ('unknown' in count) return <EmptyState>This number is unknown: {count.unknown}</EmptyState>;
  if (items.length === 0) return <EmptyState>There are none.</EmptyState>;
  return (
    <>
      <p>
        {items.length < count.value
          ? `The newest ${formatNumber(items.length)} of ${formatNumber(count.value)}`
          : 'All of them'}
        , the newest first.
      </p>
      <ol class="happenings">
        {items.map((item) => (
          <Item key={`${item.at} ${item.owner} ${item.type} ${item.subject} ${item.id}`} item={item} />
        ))}
      </ol>
    </>
  );
}

function Item({ item: { at, owner, outcome, type, subject, error, id } }: { readonly item: Counted }) {
  return (
    <li class={`happening ${outcome.replaceAll(' ', '-')}`}>
      <time dateTime={at}>{formatMoment(Date.parse(at))}</time>
      <span class="outcome">{outcome}</span>
      {type === undefined ? null : <span>{type}</span>}
      <span class="owner">{owner}</span>
      {error === undefined ? null : <span>{error}</span>}
      {id === undefined ? null : <a href={linkTo('order', id)}>{subject ?? id}</a>}
    </li>
  );
}
