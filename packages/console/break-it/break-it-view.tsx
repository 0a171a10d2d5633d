import './break-it.css';
import { status } from '../page/clock.js';
import { useAnswer } from '../page/loading.js';
import { linkTo } from '../page/route.js';
import { EmptyState } from '../page/states.js';
import type { ConsoleFacts } from '../server/contract.js';
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
    label: 'Kill a random function for 30 s',
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

/** Faults and time on request, in a local cloud. */
export function BreakItView() {
  const facts = useAnswer<ConsoleFacts>('/_console/facts').value;
  const toys = facts.state === 'loaded' ? facts.answer.toys : [];
  if (facts.state === 'loaded' && !facts.answer.local)
    return <EmptyState>Faults and time are at hand in a local cloud only: npm start.</EmptyState>;
  return (
    <section aria-labelledby="break-it">
      <h1 id="break-it">Break it</h1>
      <p>Press anything, in any order. Lost and done twice, above, stay at 0.</p>
      <Outcome />
      <div class="buttons">
        {TROUBLE.map(({ label, about, work }) => (
          <Choice key={label} label={label} about={about} press={() => act(work)} />
        ))}
        <Choice label="Calm" about="Withdraws all faults." press={() => act(calm)} />
      </div>
      {toys.length > 0 ? (
        <>
          <h2>Try</h2>
          <div class="buttons">
            {toys.map(({ id, label, about }) => (
              <Choice key={id} label={label} about={about} press={() => act(() => playToy(id))} />
            ))}
          </div>
        </>
      ) : null}
      <TimeTravel />
      <OpenFaults />
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
      <h2>Open faults</h2>
      {faults.length === 0 ? (
        <EmptyState>None is open.</EmptyState>
      ) : (
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
