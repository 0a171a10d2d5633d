import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useAnswer } from '../page/loading.js';
import { goTo, linkTo } from '../page/route.js';
import { EmptyState, FailedState, LoadingState } from '../page/states.js';
import type {
  DataItem,
  DataLine,
  DataMessage,
  DataObject,
  DataObjectContent,
  ResourceKind,
} from '../server/data-contract.js';
import { Json } from './json.js';
import { firstLinkedId } from './linked-ids.js';
import { type Pages, usePages } from './pages.js';
import { placeOf } from './place.js';

interface Content {
  /** Of the table, queue, bucket or function. */
  readonly name: string;
  /** Text that is searched for. */
  readonly text: string;
}

const pathOf = (kind: ResourceKind, { name, text }: Content): string =>
  `/_console/data/${kind}/${encodeURIComponent(name)}?text=${encodeURIComponent(text)}`;

/** Items of a table. */
export function Items(content: Content) {
  const pages = usePages<DataItem>(pathOf('tables', content));
  return (
    <Listed kind="tables" {...content} pages={pages} what="items" label="A key has">
      {pages.entries.value.map(({ key, item }) => (
        <Entry key={key.join('\n')} title={key.join('  ')} link={firstLinkedId(item)}>
          <Json value={item} />
        </Entry>
      ))}
    </Listed>
  );
}

/** Messages of a queue. */
export function Messages(content: Content) {
  const pages = usePages<DataMessage>(pathOf('queues', content));
  return (
    <Listed kind="queues" {...content} pages={pages} what="messages" label="A message has">
      {pages.entries.value.map(({ body, id, state, receiveCount, maxReceives, ...rest }) => {
        const most = maxReceives === undefined ? '' : ` of ${maxReceives}`;
        const until = rest.visibleAt === undefined ? '' : ` until ${rest.visibleAt}`;
        const title = `${typeIn(body)} ${state}${until}, received ${receiveCount}${most} times`;
        return (
          <Entry key={id} title={title.trim()} link={firstLinkedId(body)}>
            <Json value={{ id, state, receiveCount, ...rest, body }} />
          </Entry>
        );
      })}
    </Listed>
  );
}

/** Objects of a bucket. */
export function Objects(content: Content) {
  const pages = usePages<DataObject>(pathOf('buckets', content));
  return (
    <Listed kind="buckets" {...content} pages={pages} what="objects" label="A key has">
      {pages.entries.value.map(({ key, bytes, at, contentType }) => (
        <Entry key={key} title={`${key}  ${bytes} bytes, ${contentType}, ${at}`}>
          <ObjectContent bucket={content.name} name={key} />
        </Entry>
      ))}
    </Listed>
  );
}

function ObjectContent({ bucket, name }: { readonly bucket: string; readonly name: string }) {
  const path = `/_console/data/buckets/${encodeURIComponent(bucket)}/object?key=${encodeURIComponent(name)}`;
  const loading = useAnswer<DataObjectContent>(path).value;
  if (loading.state === 'loading') return <LoadingState of={name} />;
  if (loading.state === 'failed') return <FailedState what={name} error={loading.error} />;
  const { text, isCutOff } = loading.answer;
  if (text === undefined) return <p class="state">It is no text.</p>;
  return (
    <>
      <Json value={parsed(text)} />
      {isCutOff ? <p class="state">Only its first 64 KiB are shown.</p> : null}
    </>
  );
}

/** Log lines of a function, the newest first. */
export function Lines(content: Content) {
  const pages = usePages<DataLine>(pathOf('logs', content));
  return (
    <Listed kind="logs" {...content} pages={pages} what="lines" label="A line has">
      {pages.entries.value.map(({ at, level, text }, place) => {
        const line = parsed(text);
        return (
          <Entry key={`${at} ${place}`} title={`${at}  ${level}  ${saidIn(line)}`} link={firstLinkedId(line)}>
            <Json value={line} />
          </Entry>
        );
      })}
    </Listed>
  );
}

interface ListedProps extends Content {
  readonly kind: ResourceKind;
  readonly pages: Pages<unknown>;
  /** Name of the entries: `items`. */
  readonly what: string;
  /** Label of the filter. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** The frame of each list: filter, entries, next page, and what to say where there is nothing. */
function Listed({ kind, name, text, pages, what, label, children }: ListedProps) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('text') as HTMLInputElement;
    goTo('data', placeOf(kind, name, field.value.trim()));
  };
  const { entries, error, hasMore, isLoading } = pages;
  const count = entries.value.length;
  return (
    <>
      <p>
        <a href={linkTo('data')}>All data</a> › <strong>{name}</strong>
      </p>
      <search>
        <form class="data-filter" onSubmit={submit}>
          <label>
            {label} <input key={text} type="search" name="text" defaultValue={text} />
          </label>
          <button type="submit">Filter</button>
          <button type="button" onClick={pages.again}>
            Read again
          </button>
        </form>
      </search>
      {error.value ? <FailedState what={`The ${what}`} error={error.value} /> : null}
      {isLoading.value && count === 0 ? <LoadingState of={what} /> : null}
      {!isLoading.value && !error.value && count === 0 ? (
        <EmptyState>{text === '' ? `There are no ${what}.` : `There are no ${what} with '${text}'.`}</EmptyState>
      ) : null}
      <ol class="data-entries" aria-label={what}>
        {children}
      </ol>
      {count > 0 ? (
        <p role="status">
          {count} {what} are shown{hasMore.value ? '' : ', and there are no more'}.
        </p>
      ) : null}
      {hasMore.value ? (
        <button type="button" disabled={isLoading.value} onClick={pages.more}>
          Show more
        </button>
      ) : null}
    </>
  );
}

/** One line that opens. What is in it is made only then. */
function Entry(props: {
  readonly title: string;
  readonly link?: string | undefined;
  readonly children: ComponentChildren;
}) {
  const isOpen = useSignal(false);
  return (
    <li>
      <details
        onToggle={({ currentTarget }) => {
          isOpen.value = currentTarget.open;
        }}
      >
        <summary>{props.title}</summary>
        {isOpen.value ? props.children : null}
      </details>
      {props.link === undefined ? null : (
        <a class="data-link" href={linkTo('order', props.link)}>
          its history<span class="unseen"> of {props.link}</span>
        </a>
      )}
    </li>
  );
}

/** Type of the event or command in a message. */
function typeIn(body: unknown): string {
  const message = (body ?? {}) as { readonly 'detail-type'?: unknown; readonly type?: unknown };
  const type = message['detail-type'] ?? message.type;
  return typeof type === 'string' ? `${type},` : '';
}

/** What a structured line says. */
function saidIn(line: unknown): string {
  if (typeof line === 'string') return line;
  const { message } = (line ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(line).slice(0, 160);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
