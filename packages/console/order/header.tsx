import { describeAttempts } from '@orderly/operator/attempts';
import { linkTo } from '../page/route.js';
import type { History, SagaMark, StepState } from './history.js';

/** Says where an order stands, what its saga has done, and how often its messages came. */
export function OrderHeader({ history, isPart }: { readonly history: History; readonly isPart: boolean }) {
  const { title, verdict, counts, doneTwice, sagas, gap } = history;
  const said = describeAttempts(counts, doneTwice);
  return (
    <header>
      {isPart ? (
        <h2 id="order">
          <a href={linkTo('order', history.id)}>{title}</a>
        </h2>
      ) : (
        <h1 id="order">{title}</h1>
      )}
      {verdict && !isPart ? (
        <p class={`verdict ${verdict.state}`}>
          <strong>{verdict.text}</strong>
          {verdict.next === undefined ? null : (
            <>
              {' '}
              Next: <code>{verdict.next}</code>
            </>
          )}
        </p>
      ) : null}
      <p class="counted" role="status" aria-label="Counts">
        {said[0]?.toUpperCase()}
        {said.slice(1)}.{gap === undefined ? '' : ` Not all attempts are known: ${gap}.`}
      </p>
      {sagas.map((saga) => (
        <Saga key={saga.id + saga.name} saga={saga} />
      ))}
    </header>
  );
}

const STATE_TEXTS: Readonly<Record<StepState, string>> = {
  done: 'done',
  waiting: 'waits',
  refused: 'refused',
  compensating: 'is compensated',
  compensated: 'compensated',
  stuck: 'stuck',
};

function Saga({ saga: { name, text, steps } }: { readonly saga: SagaMark }) {
  return (
    <div class="saga">
      <span>
        {name}: {text}
      </span>
      <ol aria-label={`Steps of ${name}`}>
        {steps.map((step) => (
          <li key={step.name} class={step.state}>
            {step.name} <span>{STATE_TEXTS[step.state]}</span>
            {step.attempt > 1 ? <span>, attempt {step.attempt}</span> : null}
          </li>
        ))}
      </ol>
    </div>
  );
}
