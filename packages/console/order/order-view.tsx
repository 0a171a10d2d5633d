import { useAnswer } from '../page/loading.js';
import { EmptyState, FailedState, LoadingState } from '../page/states.js';

/** Everything that followed from one order, message or request. */
export function OrderView({ id }: { readonly id: string }) {
  const trace = useAnswer<object>(`/_console/operations/trace/${encodeURIComponent(id)}`).value;
  if (id === '')
    return <EmptyState>Write the id of an order, a message or a request into the search field.</EmptyState>;
  return (
    <section aria-labelledby="order">
      <h1 id="order">{id}</h1>
      {trace.state === 'loading' ? <LoadingState of={id} /> : null}
      {trace.state === 'failed' ? <FailedState what={id} error={trace.error} /> : null}
      {trace.state === 'loaded' ? <pre>{JSON.stringify(trace.answer, null, 2)}</pre> : null}
    </section>
  );
}
