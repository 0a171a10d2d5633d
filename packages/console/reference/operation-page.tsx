import { useSignal } from '@preact/signals';
import { Json } from '../data/json.js';
import { ask } from '../page/ask.js';
import { linkTo } from '../page/route.js';
import type { Caller, SendAnswer } from '../server/reference-contract.js';
import type { Operation, Parameter } from './documents.js';
import { firstValues, idInAnswer, toRequest } from './request.js';

type Sent = { readonly state: 'none' | 'sending' } | { readonly state: 'refused'; readonly text: string } | Answered;
type Answered = { readonly state: 'answered'; readonly answer: SendAnswer };

/** One operation: what it takes, and a form that sends it. */
export function OperationPage({
  operation,
  callers,
}: {
  readonly operation: Operation;
  readonly callers: readonly Caller[];
}) {
  const { id, summary, description, parameters, hasBody, examples, route } = operation;
  const values = useSignal<Readonly<Record<string, string>>>(firstValues(parameters, () => crypto.randomUUID()));
  const body = useSignal(examples[0]?.text ?? (hasBody ? '{}' : ''));
  const as = useSignal(callers[0]?.id ?? '');
  const sent = useSignal<Sent>({ state: 'none' });
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const request = toRequest(operation, { values: values.value, body: body.value, as: as.value });
    if (typeof request === 'string') {
      sent.value = { state: 'refused', text: request };
      return;
    }
    sent.value = { state: 'sending' };
    try {
      sent.value = { state: 'answered', answer: await ask<SendAnswer>('/_console/send', request) };
    } catch (error) {
      sent.value = { state: 'refused', text: (error as Error).message };
    }
  };
  return (
    <article>
      <p>
        <a href={linkTo('reference')}>All operations and events</a>
      </p>
      <h2>{id}</h2>
      <p>
        <strong>{summary}</strong>
        {route.function === undefined ? null : ` Answered by ${route.function}.`}
      </p>
      {description.split(/\n\n+/).map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <form class="reference-form" onSubmit={(event) => void send(event)}>
        {parameters.map((one) => (
          <ParameterField
            key={`${one.in} ${one.name}`}
            parameter={one}
            value={values.value[`${one.in} ${one.name}`] ?? ''}
            onInput={(value) => {
              values.value = { ...values.value, [`${one.in} ${one.name}`]: value };
            }}
          />
        ))}
        {hasBody && examples.length > 1 ? (
          <label>
            Example
            <select
              onChange={({ currentTarget }) => {
                body.value = examples[Number(currentTarget.value)]?.text ?? '';
              }}
            >
              {examples.map(({ name }, at) => (
                <option key={name} value={at}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        {hasBody ? (
          <label>
            Body (JSON)
            <textarea
              rows={10}
              spellcheck={false}
              value={body.value}
              onInput={({ currentTarget }) => {
                body.value = currentTarget.value;
              }}
            />
          </label>
        ) : null}
        <label>
          As
          <select
            value={as.value}
            onChange={({ currentTarget }) => {
              as.value = currentTarget.value;
            }}
          >
            {callers.map((caller) => (
              <option key={caller.id} value={caller.id}>
                {caller.label}
              </option>
            ))}
            <option value="">nobody: without a token</option>
          </select>
        </label>
        <button type="submit" disabled={sent.value.state === 'sending'}>
          Send
        </button>
      </form>
      <div aria-live="polite">
        {sent.value.state === 'sending' ? <p class="state">Waiting for the answer …</p> : null}
        {sent.value.state === 'refused' ? <p class="state failed">{sent.value.text}</p> : null}
        {sent.value.state === 'answered' ? <Answer answer={sent.value.answer} /> : null}
      </div>
    </article>
  );
}

function ParameterField(props: {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  const { name, in: place, isRequired, description, example } = props.parameter;
  return (
    <label>
      <span>
        {name} <small>({isRequired ? `${place}, required` : place})</small>
      </span>
      <input
        type="text"
        autocomplete="off"
        spellcheck={false}
        required={isRequired}
        value={props.value}
        placeholder={example}
        onInput={({ currentTarget }) => props.onInput(currentTarget.value)}
      />
      {description === '' ? null : <small>{description}</small>}
    </label>
  );
}

function Answer({ answer }: { readonly answer: SendAnswer }) {
  const { status, headers, body, ms } = answer;
  const id = idInAnswer(answer);
  return (
    <section aria-label="Answer">
      <h3 class={status >= 400 ? 'failed' : undefined}>
        {status}, {ms} ms
      </h3>
      {id === undefined ? null : (
        <p>
          <a href={linkTo('order', id)}>What followed from it</a>
        </p>
      )}
      {body === '' ? <p class="state">It has no body.</p> : <Json value={parsed(body)} />}
      <details>
        <summary>Headers</summary>
        <Json value={headers} />
      </details>
    </section>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
