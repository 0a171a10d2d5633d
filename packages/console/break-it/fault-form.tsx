import { useSignal } from '@preact/signals';
import { useAnswer } from '../page/loading.js';
import { FailedState, LoadingState } from '../page/states.js';
import { act, busy, injectFault, type Owners } from './actions.js';

/** Any fault at any construct: the kinds are those that can happen to it. */
export function FaultForm() {
  const owners = useAnswer<Owners>('/_local/owners').value;
  return (
    <>
      <h2>Break one construct</h2>
      {owners.state === 'loading' ? <LoadingState of="the constructs" /> : null}
      {owners.state === 'failed' ? <FailedState what="The constructs" error={owners.error} /> : null}
      {owners.state === 'loaded' ? <Form {...owners.answer} /> : null}
    </>
  );
}

function Form({ owners, kinds }: Owners) {
  const owner = useSignal(owners[0]?.owner ?? '');
  const type = owners.find((one) => one.owner === owner.value)?.type ?? 'function';
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const { kind, next } = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    void act(() => injectFault(owner.value, String(kind), Number(next)));
  };
  return (
    <form class="fault" onSubmit={submit}>
      <label>
        Construct
        <select
          name="owner"
          value={owner.value}
          onChange={({ currentTarget }) => {
            owner.value = currentTarget.value;
          }}
        >
          {owners.map((one) => (
            <option key={one.owner} value={one.owner}>
              {one.owner} ({one.type})
            </option>
          ))}
        </select>
      </label>
      <label>
        Fault
        <select name="kind" key={type}>
          {kinds[type].map((kind) => (
            <option key={kind} value={kind}>
              {kind}
            </option>
          ))}
        </select>
      </label>
      <label>
        How often
        <input name="next" type="number" min="1" max="100000" defaultValue="1" required />
      </label>
      <button type="submit" disabled={busy.value}>
        Make it happen
      </button>
    </form>
  );
}
