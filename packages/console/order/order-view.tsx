import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { status } from '../page/clock.js';
import { facts } from '../page/facts.js';
import { EmptyState, FailedState, LoadingState } from '../page/states.js';
import { ACTIONS } from './actions.js';
import { SCALES, type Scale } from './axis.js';
import type { Act } from './delivery-parts.js';
import { OrderHeader } from './header.js';
import type { History } from './history.js';
import { layOut } from './layout.js';
import { Legend } from './legend.js';
import { ListView } from './list-view.js';
import './order.css';
import { Panel } from './panel.js';
import { Picture } from './picture.js';
import { type RecordSource, recordSourceOf } from './stored-path.js';
import { useHistory } from './use-history.js';

/** Everything that followed from one order, message or request: a picture of each attempt, or the same as a list. */
export function OrderView({ id }: { readonly id: string }) {
  const known = facts.value;
  const loading = useHistory(id, known).value;
  if (id === '')
    return (
      <Heading text="One order">
        <EmptyState>Write the id of an order, a message or a request into the search field.</EmptyState>
      </Heading>
    );
  if (!known || loading.state === 'loading')
    return (
      <Heading text={id}>
        <LoadingState of={id} />
      </Heading>
    );
  if (loading.state === 'failed')
    return (
      <Heading text={id}>
        <FailedState what={id} error={loading.error} />
      </Heading>
    );
  const { history, failure } = loading;
  return (
    <>
      {failure === undefined ? null : (
        <p class="state failed" role="alert">
          The report on {id} can't be read, so this may be old or incomplete: {failure}
        </p>
      )}
      <HistoryView key={id} history={history} isLocal={known.local} records={recordSourceOf(known)} />
    </>
  );
}

/** The page's heading while there is no history. */
function Heading({ text, children }: { readonly text: string; readonly children: ComponentChildren }) {
  return (
    <section aria-labelledby="order">
      <h1 id="order">{text}</h1>
      {children}
    </section>
  );
}

interface HistoryProps {
  readonly history: History;
  /** Whether a local cloud answers, so that there are buttons for faults and time. */
  readonly isLocal: boolean;
  /** Where the items and log lines behind a mark are read. @default they are not */
  readonly records?: RecordSource | undefined;
  /** Whether another view shows it, which has the page's heading. @default false */
  readonly isPart?: boolean;
}

/** A history that is there. */
export function HistoryView({ history, isLocal, records, isPart = false }: HistoryProps) {
  const scale = useSignal<Scale>('spread');
  const isList = useSignal(false);
  const current = useSignal<string | undefined>(undefined);
  const opened = useSignal<string | undefined>(undefined);
  const said = useSignal('');
  const width = useSignal(960);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current: element } = frame;
    if (!element || typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) width.value = Math.max(320, Math.floor(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const now = Date.now() + (status.value?.ahead ?? 0);
  const layout = useMemo(
    () => layOut(history, { width: width.value, scale: scale.value, now }),
    // The time of what waits is read when the history changes: a picture that moves each second can't be read.
    [history, width.value, scale.value],
  );
  const open = (mark: string | undefined): void => {
    opened.value = mark;
  };
  const close = (): void => {
    const back = opened.value;
    open(undefined);
    const mark = [...document.querySelectorAll<SVGElement>('[data-mark]')].find((one) => one.dataset.mark === back);
    mark?.focus();
  };
  const act = async (what: () => Promise<string>, begun: string): Promise<void> => {
    said.value = begun;
    said.value = await what().catch((error: Error) => error.message);
  };
  const mark = layout.marks.find((one) => one.id === opened.value);
  return (
    <section class="order" aria-labelledby="order">
      <OrderHeader history={history} isPart={isPart} />
      {isPart ? null : <Tools isLocal={isLocal} isList={isList} scale={scale} said={said.value} onAct={act} />}
      <p class="hint">
        Choose a mark to see its record{isLocal ? ', to send its message again or to kill its consumer' : ''}.
      </p>
      <div class="parts">
        <div class="shown" ref={frame}>
          {isList.value ? (
            <ListView marks={layout.marks} from={layout.axis.from} opened={opened.value} onOpen={open} />
          ) : (
            <Picture
              layout={layout}
              current={current.value}
              opened={opened.value}
              name={`History of ${history.id}: ${layout.marks.length} marks. Arrows go from mark to mark, Enter shows the record.`}
              onMove={(next) => {
                current.value = next;
              }}
              onOpen={open}
            />
          )}
          {isList.value ? null : <Legend />}
        </div>
        {mark ? (
          <Panel
            key={mark.id}
            mark={mark}
            history={history}
            isLocal={isLocal}
            records={records}
            from={layout.axis.from}
            onAct={act}
            onClose={close}
          />
        ) : null}
      </div>
    </section>
  );
}

interface ToolsProps {
  readonly isLocal: boolean;
  readonly isList: Signal<boolean>;
  readonly scale: Signal<Scale>;
  readonly said: string;
  readonly onAct: Act;
}

/** Choices of how a history is shown, and time. */
function Tools({ isLocal, isList, scale, said, onAct }: ToolsProps) {
  return (
    <div class="tools">
      <button type="button" aria-pressed={isList.value} onClick={() => (isList.value = !isList.value)}>
        As a list
      </button>
      <label>
        Time{' '}
        <select
          value={scale.value}
          disabled={isList.value}
          onChange={({ currentTarget }) => {
            scale.value = SCALES.find((one) => one === currentTarget.value) ?? 'spread';
          }}
        >
          <option value="spread">spread out</option>
          <option value="linear">to scale</option>
        </select>
      </label>
      {isLocal ? (
        <button type="button" onClick={() => onAct(ACTIONS.forwardMinute, 'A minute passes …')}>
          Let a minute pass
        </button>
      ) : null}
      <span class="said" role="status">
        {said}
      </span>
    </div>
  );
}
