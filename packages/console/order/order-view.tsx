import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { status } from '../page/clock.js';
import { useAnswer } from '../page/loading.js';
import { EmptyState, FailedState, LoadingState } from '../page/states.js';
import type { ConsoleFacts } from '../server/contract.js';
import { ACTIONS } from './actions.js';
import { SCALES, type Scale } from './axis.js';
import { OrderHeader } from './header.js';
import type { History } from './history.js';
import { layOut } from './layout.js';
import { Legend } from './legend.js';
import { ListView } from './list-view.js';
import './order.css';
import { Panel } from './panel.js';
import { Picture } from './picture.js';
import { useHistory } from './use-history.js';

/** Everything that followed from one order, message or request: a picture of each attempt, or the same as a list. */
export function OrderView({ id }: { readonly id: string }) {
  const facts = useAnswer<ConsoleFacts>('/_console/facts').value;
  const loading = useHistory(id, facts.state === 'loaded' ? facts.answer : undefined).value;
  if (id === '')
    return (
      <Heading text="One order">
        <EmptyState>Write the id of an order, a message or a request into the search field.</EmptyState>
      </Heading>
    );
  if (facts.state === 'failed')
    return (
      <Heading text={id}>
        <FailedState what={id} error={facts.error} />
      </Heading>
    );
  if (facts.state === 'loading' || loading.state === 'loading')
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
      <HistoryView key={id} history={history} isLocal={facts.answer.local} />
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

/** A history that is there. @param now of the environment, for what waits. @default by the clock of the page's frame */
export function HistoryView({ history, isLocal }: { readonly history: History; readonly isLocal: boolean }) {
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
      <OrderHeader history={history} />
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
          <button type="button" onClick={() => act(ACTIONS.forwardMinute, 'A minute passes …')}>
            1 minute later
          </button>
        ) : null}
        <span class="said" role="status">
          {said.value}
        </span>
      </div>
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
            from={layout.axis.from}
            onAct={act}
            onClose={close}
          />
        ) : null}
      </div>
    </section>
  );
}
