import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { HistoryView } from '../order/order-view.js';
import { ask } from '../page/ask.js';
import type { Loading } from '../page/loading.js';
import { linkTo } from '../page/route.js';
import { FailedState, LoadingState } from '../page/states.js';
import type { OpenedHistory } from '../server/histories-contract.js';
import { parseHistoryId } from './history-id.js';
import { toPicture } from './opened.js';

/** One history of the wall: what it broke, the faults that it needs for that, its picture, and the command that plays it again. */
export function HistoryPage({ id }: { readonly id: string }) {
  const loading = useSignal<Loading<OpenedHistory>>({ state: 'loading' });
  useEffect(() => {
    const aborted = new AbortController();
    loading.value = { state: 'loading' };
    ask<OpenedHistory>('/_console/histories/open', parseHistoryId(id) ?? {}, aborted.signal).then(
      (answer) => {
        loading.value = { state: 'loaded', answer };
      },
      (error) => {
        if (!aborted.signal.aborted) loading.value = { state: 'failed', error };
      },
    );
    return () => aborted.abort();
  }, [id]);
  const { value } = loading;
  return (
    <>
      <p>
        <a href={linkTo('proof')}>Back to the wall</a>
      </p>
      {value.state === 'loaded' ? (
        <Opened opened={value.answer} />
      ) : (
        <>
          <h1>History</h1>
          {value.state === 'loading' ? (
            <LoadingState of="the history: it is played again, with as few faults as it needs" />
          ) : (
            <FailedState what={id} error={value.error} />
          )}
        </>
      )}
    </>
  );
}

function Opened({ opened }: { readonly opened: OpenedHistory }) {
  const picture = useMemo(() => toPicture(opened), [opened]);
  const { violations, faults, replay } = opened;
  return (
    <>
      <HistoryView history={picture} isLocal={false} />
      {violations.length > 0 ? (
        <section aria-labelledby="violated">
          <h2 id="violated">What was violated</h2>
          <dl class="violations">
            {violations.map(({ invariant, detail }) => (
              <div key={invariant + detail}>
                <dt>{invariant}</dt>
                <dd>{detail}</dd>
              </div>
            ))}
          </dl>
          <p>
            {faults.length === 0
              ? 'No fault is needed for it.'
              : `It needs ${faults.length === 1 ? 'this fault' : `these ${faults.length} faults`} and no other: ${faults
                  .map(({ point, kind }) => `${point}, ${kind}`)
                  .join('; ')}.`}
          </p>
        </section>
      ) : null}
      {replay === undefined ? null : (
        <section aria-labelledby="replay">
          <h2 id="replay">Play it again in a terminal</h2>
          <pre class="replay">{replay}</pre>
        </section>
      )}
    </>
  );
}
