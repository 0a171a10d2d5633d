import './break-it.css';
import { useEffect } from 'preact/hooks';
import { status } from '../page/clock.js';
import { facts } from '../page/facts.js';
import { linkTo } from '../page/route.js';
import { EmptyState } from '../page/states.js';
import {
  act,
  busy,
  calm,
  killRandom,
  loseAnswers,
  playToy,
  poisonAMessage,
  refuseTheBus,
  said,
  sendEverythingAgain,
  withdraw,
} from './actions.js';
import { FaultForm } from './fault-form.js';
import { TimeTravel } from './time-travel.js';

/** Buttons that make trouble; each says what will be seen. */
const TROUBLE = [
  {
    label: 'Send everything again',
    about: 'Each message is delivered a second time. Nothing is applied twice.',
    work: sendEverythingAgain,
  },
  {
    label: 'Kill a random function for 30\u00a0s',
    about: 'Its messages wait in their queue, come again, and are applied once.',
    work: killRandom,
  },
  {
    label: 'Refuse the bus',
    about: 'Commits wait in the outbox, and are published when the bus takes them again.',
    work: refuseTheBus,
  },
  {
    label: 'Lose 20 answers',
    about: 'Calls take effect and nobody learns of it: they are repeated, and recognised.',
    work: loseAnswers,
  },
  {
    label: 'Poison a message',
    about: 'It becomes a failure record, and stops nothing else.',
    work: poisonAMessage,
  },
] as const;

/** Faults and time on request, in a local cloud. `id`: `time` begins at what comes next. */
export function BreakItView({ id }: { readonly id: string }) {
  const toys = facts.value?.toys ?? [];
  useEffect(() => {
    if (id === 'time') document.getElementById('time')?.scrollIntoView();
  }, [id]);
  return (
    <section aria-labelledby="break-it">
      <h1 id="break-it">Break it</h1>
      <p>Press anything, in any order. “Lost” and “done twice”, in the line above, stay at 0.</p>
      <Outcome />
      {toys.length > 0 ? (
        <>
          <h2>Give it work</h2>
          <div class="buttons">
            {toys.map(({ id, label, about }) => (
              <Choice key={id} label={label} about={about} press={() => act(() => playToy(id))} />
            ))}
          </div>
        </>
      ) : null}
      <h2>Make trouble</h2>
      <div class="buttons">
        {TROUBLE.map(({ label, about, work }) => (
          <Choice key={label} label={label} about={about} press={() => act(work)} />
        ))}
      </div>
      <OpenFaults />
      <TimeTravel />
      <FaultForm />
    </section>
  );
}

function Choice(props: { readonly label: string; readonly about: string; readonly press: () => void }) {
  const { label, about, press } = props;
  const id = `about-${label.replaceAll(/\W+/g, '-')}`;
  return (
    <div class="choice">
      <button type="button" onClick={press} disabled={busy.value} aria-describedby={id}>
        {label}
      </button>
      <p id={id}>{about}</p>
    </div>
  );
}

function Outcome() {
  const { text = '', failed = false, id } = said.value ?? {};
  return (
    <p class={`said ${failed ? 'failed' : ''}`} role="status">
      {text} {id === undefined ? null : <a href={linkTo('order', id)}>Look at it</a>}
    </p>
  );
}

function OpenFaults() {
  const faults = status.value?.faults ?? [];
  return (
    <>
      <h2>Faults that are to be made</h2>
      {faults.length === 0 ? (
        <EmptyState>None: nothing is broken on purpose.</EmptyState>
      ) : (
        <Choice
          label="Calm: withdraw them all"
          about="What they broke so far is repaired by itself."
          press={() => act(calm)}
        />
      )}
      {faults.length === 0 ? null : (
        <ul class="faults">
          {faults.map(({ owner, kind, left, until }) => (
            <li key={`${owner} ${kind} ${until}`}>
              <span>
                {kind} at {owner === '*' ? 'any construct' : owner}:{' '}
                {until === undefined ? `${left} left` : `until ${until.slice(11, 19)}`}
              </span>
              <button
                type="button"
                aria-label={`Withdraw ${kind} at ${owner}`}
                onClick={() => act(() => withdraw(owner, kind))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
