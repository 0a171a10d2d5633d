import './start.css';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { HistoryView } from '../order/order-view.js';
import { recordSourceOf } from '../order/stored-path.js';
import { type LoadingHistory, useHistory } from '../order/use-history.js';
import { ask } from '../page/ask.js';
import { facts } from '../page/facts.js';
import { linkTo } from '../page/route.js';
import { EmptyState, FailedState, LoadingState } from '../page/states.js';
import { type Happened, listen } from '../page/stream.js';
import type { ConsoleFacts, CountedList } from '../server/contract.js';
import { done, followed, listSteps, type Step, takeStep } from './steps.js';

/** Result of the newest step, or the reason why it did nothing. */
const said = signal<{ readonly text: string; readonly failed: boolean }>({ text: '', failed: false });
const busy = signal(false);

/** First view of a local cloud: what the app promises, buttons that show it within a minute, and the history of what they did. */
export function StartView() {
  const known = facts.value;
  const loading = useHistory(followed.value, known).value;
  useEffect(followSomething, []);
  if (!known) return null;
  const history = loading.state === 'loaded' ? loading.history : undefined;
  const [toy] = known.toys;
  const steps = listSteps(toy);
  const next = steps.find(({ name }) => !done.value.has(name))?.name;
  const take = async (step: Step): Promise<void> => {
    busy.value = true;
    try {
      said.value = { text: await takeStep(step, toy, history), failed: false };
    } catch (error) {
      said.value = { text: (error as Error).message, failed: true };
    } finally {
      busy.value = false;
      document.querySelector('.steps')?.scrollIntoView();
    }
  };
  return (
    <section class="start" aria-labelledby="start">
      <h1 id="start">
        {known.promise ?? `See what ${known.name} does when a message comes twice and a function dies`}
      </h1>
      <p>
        {known.name} runs on this machine, in a simulated cloud: nothing here can do harm.{' '}
        {toy ? '' : 'Send it a request, here or from your terminal, and its history is shown below. '}Press the buttons
        from left to right:
      </p>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.name} class={step.name === next ? 'next' : undefined}>
            <button
              type="button"
              disabled={busy.value || (step.needsHistory && history === undefined)}
              aria-describedby={`about-${step.name}`}
              onClick={() => void take(step)}
            >
              {step.label}
            </button>
            <p id={`about-${step.name}`}>
              {done.value.has(step.name) ? <strong>Done. </strong> : null}
              {step.about}
            </p>
          </li>
        ))}
      </ol>
      <p class={`said ${said.value.failed ? 'failed' : ''}`} role="status">
        {said.value.text}
      </p>
      <Followed id={followed.value} loading={loading} known={known} />
      <h2>Then</h2>
      <ul class="ways">
        <li>
          <a href={linkTo('break-it')}>Break it</a>: kill, refuse and lose what you want, or let 36 days pass.
        </li>
        <li>
          <a href={linkTo('now')}>Now</a>: every message while it is delivered.
        </li>
        <li>
          <a href={linkTo('map')}>Map</a>: what is deployed, with what waits in it.
        </li>
      </ul>
    </section>
  );
}

function Followed(props: { readonly id: string; readonly loading: LoadingHistory; readonly known: ConsoleFacts }) {
  const { id, loading, known } = props;
  if (id === '') return <EmptyState>Nothing has happened yet: the first button begins.</EmptyState>;
  if (loading.state === 'loading') return <LoadingState of={id} />;
  if (loading.state === 'failed') return <FailedState what={id} error={loading.error} />;
  return (
    <HistoryView key={id} history={loading.history} isLocal={known.local} records={recordSourceOf(known)} isPart />
  );
}

/** Follows what most of the newest duplicates or deliveries belong to, or else the first thing that happens. */
function followSomething(): (() => void) | undefined {
  if (followed.value !== '') return;
  const follow = (id: string | undefined): void => {
    if (id === undefined) return;
    if (followed.value === '') followed.value = id;
    stop();
  };
  const stop = listen(({ kind, correlationId }) => {
    if (kind === 'delivery') follow(correlationId);
  });
  void Promise.all(['duplicates', 'delivered'].map(readNewest))
    .then(([duplicate, delivered]) => readOrigin(duplicate ?? delivered))
    .then(follow);
  return stop;
}

/** Returns the correlation id that is most often among the newest things of a count. */
async function readNewest(name: string): Promise<string | undefined> {
  const answer = await ask<CountedList>(`/_console/counted/${name}`).catch(() => undefined);
  const times = new Map<string, number>();
  for (const { id } of answer?.items ?? []) if (id !== undefined) times.set(id, (times.get(id) ?? 0) + 1);
  return [...times].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

/** Returns the id of what a correlation began with, such as its order; the correlation's own id if nothing tells it. */
async function readOrigin(correlation: string | undefined): Promise<string | undefined> {
  if (correlation === undefined) return undefined;
  const path = `/_local/events?kind=message&correlation=${encodeURIComponent(correlation)}`;
  const { events } = await ask<{ events: readonly Happened[] }>(path).catch(() => ({ events: [] }));
  return (
    events
      .find(({ subject }) => subject !== undefined)
      ?.subject?.split('/')
      .at(-1) ?? correlation
  );
}
