import { useSignal } from '@preact/signals';
import { Answered } from '../page/answered.js';
import { formatDuration, formatMoment, formatNumber } from '../page/format.js';
import { useFresh } from '../page/loading.js';
import { linkTo } from '../page/route.js';
import { EmptyState } from '../page/states.js';
import { Table } from '../page/table.js';
import type { AppList, ListColumn, ListFilter } from '../server/lists.js';
import { formatMoney, readArray, readField, toWord } from './read-field.js';
import './lists.css';

type Chosen = Readonly<Record<string, string>>;

/** A list that the app declares: a form to choose with, counts, and a page of rows. */
export function ListView({ list }: { readonly list: AppList }) {
  const chosen = useSignal<Chosen>({});
  const cursors = useSignal<readonly string[]>([]);
  const cursor = cursors.value.at(-1);
  const parameters = new URLSearchParams({ ...chosen.value, ...(cursor !== undefined && { cursor }) });
  const [loading] = useFresh<object>(`/_console/read/${list.read}?${parameters}`);
  const choose = (next: Chosen): void => {
    cursors.value = [];
    chosen.value = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''));
  };
  return (
    <section aria-labelledby="list">
      <h1 id="list">{list.title}</h1>
      <p>{list.about}</p>
      <Filters list={list} chosen={chosen.value} onChoose={choose} />
      <Answered what={list.title} of={loading}>
        {(answer) => (
          <>
            <Counts list={list} answer={answer} onChoose={(more) => choose({ ...chosen.value, ...more })} />
            <Rows list={list} answer={answer} />
            <Pages
              hasBefore={cursors.value.length > 0}
              next={readField(answer, 'nextCursor')}
              onBefore={() => {
                cursors.value = cursors.value.slice(0, -1);
              }}
              onNext={(next) => {
                cursors.value = [...cursors.value, next];
              }}
            />
          </>
        )}
      </Answered>
    </section>
  );
}

function Filters({
  list: { title, filters },
  chosen,
  onChoose,
}: {
  readonly list: AppList;
  readonly chosen: Chosen;
  readonly onChoose: (next: Chosen) => void;
}) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    onChoose(Object.fromEntries([...data].map(([name, value]) => [name, String(value).trim()])));
  };
  return (
    <form class="filters" onSubmit={submit} aria-label={`Choose ${title.toLowerCase()}`}>
      {filters.map((filter) => (
        <div key={filter.option}>
          <label htmlFor={idOf(filter)}>{filter.label}</label>
          <Field filter={filter} value={chosen[filter.option] ?? ''} />
        </div>
      ))}
      <button type="submit">Show</button>
    </form>
  );
}

const idOf = ({ option }: ListFilter): string => `filter-${option}`;

function Field({ filter, value }: { readonly filter: ListFilter; readonly value: string }) {
  const { option, choices, placeholder } = filter;
  const id = idOf(filter);
  if (!choices)
    return (
      <input id={id} name={option} defaultValue={value} key={value} placeholder={placeholder} autocomplete="off" />
    );
  return (
    <select id={id} name={option} value={value}>
      <option value="">any</option>
      {choices.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  );
}

function Counts({
  list: { counts = [] },
  answer,
  onChoose,
}: {
  readonly list: AppList;
  readonly answer: object;
  readonly onChoose: (more: Chosen) => void;
}) {
  return (
    <>
      {counts.map(({ label, field, value, count, option }) => {
        const found = readArray(answer, field);
        return found.length === 0 ? null : (
          <p key={field} class="counts">
            {label}:{' '}
            {found.map((one) => {
              const name = String(readField(one, value) ?? '');
              return (
                <button key={name} type="button" onClick={() => onChoose({ [option]: toWord(name) })}>
                  {toWord(name)} {formatNumber(Number(readField(one, count) ?? 0))}
                </button>
              );
            })}
          </p>
        );
      })}
    </>
  );
}

function Rows({ list, answer }: { readonly list: AppList; readonly answer: object }) {
  const rows = readArray(answer, list.rows);
  const [identity] = list.columns;
  if (rows.length === 0 || !identity) return <EmptyState>There are none like that.</EmptyState>;
  return (
    <Table
      caption={list.title}
      rows={rows}
      keyOf={(row) => String(readField(row, identity.field))}
      columns={list.columns.map((column) => ({
        heading: column.heading,
        isNumber: column.as === 'money' || column.as === 'seconds',
        cell: (row) => <Cell column={column} value={readField(row, column.field)} />,
      }))}
    />
  );
}

function Cell({ column: { as }, value }: { readonly column: ListColumn; readonly value: unknown }) {
  if (value === undefined || value === null) return null;
  const text = String(value);
  switch (as) {
    case 'order':
      return <a href={linkTo('order', text)}>{text.slice(0, 8)}</a>;
    case 'time':
      return <time dateTime={text}>{formatMoment(Date.parse(text))}</time>;
    case 'seconds':
      return <>{formatDuration(Number(value) * 1000)}</>;
    case 'money':
      return <>{formatMoney(value)}</>;
    case 'list':
      return <>{[value].flat().join(', ')}</>;
    default:
      return <>{text}</>;
  }
}

function Pages({
  hasBefore,
  next,
  onBefore,
  onNext,
}: {
  readonly hasBefore: boolean;
  readonly next: unknown;
  readonly onBefore: () => void;
  readonly onNext: (next: string) => void;
}) {
  if (!hasBefore && typeof next !== 'string') return null;
  return (
    <p class="pages">
      <button type="button" disabled={!hasBefore} onClick={onBefore}>
        Newer
      </button>{' '}
      <button
        type="button"
        disabled={typeof next !== 'string'}
        onClick={() => typeof next === 'string' && onNext(next)}
      >
        Older
      </button>
    </p>
  );
}
