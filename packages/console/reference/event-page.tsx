import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Json } from '../data/json.js';
import { firstLinkedId } from '../data/linked-ids.js';
import { AskFailed, ask } from '../page/ask.js';
import { linkTo } from '../page/route.js';
import { EmptyState, FailedState, LoadingState } from '../page/states.js';
import { listen } from '../page/stream.js';
import type { EventFacts } from '../server/reference-contract.js';
import type { EventType } from './documents.js';

/** One event: who publishes it, who gets it, and the last one of these. */
export function EventPage({ event }: { readonly event: EventType }) {
  const { source, type, summary, versions, example } = event;
  const facts = useSignal<EventFacts | undefined>(undefined);
  const error = useSignal<AskFailed | undefined>(undefined);
  const passed = useSignal(0);
  const read = async (): Promise<void> => {
    const query = `source=${encodeURIComponent(source)}&type=${encodeURIComponent(type)}`;
    try {
      facts.value = await ask<EventFacts>(`/_console/reference/event?${query}`);
      error.value = undefined;
      passed.value = 0;
    } catch (thrown) {
      error.value = thrown instanceof AskFailed ? thrown : new AskFailed(0, String(thrown));
    }
  };
  useEffect(() => {
    void read();
    // A rule tells of each delivery: it is counted, and read when somebody asks for it.
    return listen((happened) => {
      if (happened.kind === 'delivery' && happened.messageId === undefined && happened.type === type) passed.value++;
    });
  }, [source, type]);
  return (
    <article>
      <p>
        <a href={linkTo('reference')}>All operations and events</a>
      </p>
      <h2>{type}</h2>
      <p>
        {summary} Its source is {source}
        {versions.length === 0 ? '' : `, in version ${versions.join(', ')}`}.
      </p>
      {error.value ? <FailedState what={type} error={error.value} /> : null}
      {facts.value ? <Facts facts={facts.value} type={type} /> : error.value ? null : <LoadingState of={type} />}
      <p>
        <button type="button" onClick={() => void read()}>
          Show me the last one
        </button>{' '}
        <span role="status">{passed.value > 0 ? `${passed.value} deliveries since it was read` : ''}</span>
      </p>
      {example === undefined ? null : (
        <details>
          <summary>Example</summary>
          <pre>{example}</pre>
        </details>
      )}
    </article>
  );
}

function Facts({ facts, type }: { readonly facts: EventFacts; readonly type: string }) {
  const { producers, consumers, last } = facts;
  const id = last && firstLinkedId(last.event);
  return (
    <>
      <h3>Producers</h3>
      {producers.length === 0 ? <EmptyState>No function of this app may publish it.</EmptyState> : null}
      <ul>
        {producers.map((label) => (
          <li key={label}>{label}</li>
        ))}
      </ul>
      <h3>Consumers</h3>
      {consumers.length === 0 ? <EmptyState>No rule waits for it.</EmptyState> : null}
      <ul>
        {consumers.map(({ rule, target, function: fn }) => (
          <li key={target}>
            {fn ?? target} <small>by the rule {rule}</small>
          </li>
        ))}
      </ul>
      <h3>The last one</h3>
      {last ? (
        <>
          <p>
            {last.at}
            {id === undefined ? null : (
              <>
                {', '}
                <a href={linkTo('order', id)}>its history</a>
              </>
            )}
          </p>
          <Json value={last.event} />
        </>
      ) : (
        <EmptyState>No {type} has been published since the local cloud began.</EmptyState>
      )}
    </>
  );
}
