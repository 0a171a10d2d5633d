import { useSignal } from '@preact/signals';
import { readStreamedAttempts, type StreamedAttempt } from '../order/streamed-attempts.js';
import { ask } from '../page/ask.js';
import { formatTime } from '../page/format.js';
import type { Compared, ComparedConsumer, Offered } from '../server/histories-contract.js';

/** Buttons that give the same messages to several consumers, and what each did with them. */
export function CompareView({ comparisons }: { readonly comparisons: readonly Offered[] }) {
  const compared = useSignal<Compared | undefined>(undefined);
  const said = useSignal('');
  const isBusy = useSignal(false);
  const press = async ({ id, about }: Offered): Promise<void> => {
    isBusy.value = true;
    said.value = 'It is played. The first time takes longer: the app is deployed for histories …';
    compared.value = undefined;
    try {
      compared.value = await ask<Compared>('/_console/histories/compare', { comparison: id });
      said.value = about;
    } catch (error) {
      said.value = (error as Error).message;
    } finally {
      isBusy.value = false;
    }
  };
  if (comparisons.length === 0) return null;
  return (
    <section aria-labelledby="compare">
      <h2 id="compare">The same messages, side by side</h2>
      <p class="tools">
        {comparisons.map((one) => (
          <button key={one.id} type="button" disabled={isBusy.value} onClick={() => press(one)}>
            {one.label}
          </button>
        ))}
      </p>
      <p role="status">{said.value}</p>
      {compared.value ? (
        <div class="compared">
          {compared.value.consumers.map((one) => (
            <Consumer key={one.label} consumer={one} />
          ))}
        </div>
      ) : null}
    </section>
  );
}

function Consumer({ consumer }: { readonly consumer: ComparedConsumer }) {
  const { label, about, owner, happenings, effect, isRight } = consumer;
  const attempts = [...readStreamedAttempts(happenings, (one) => one.owner === owner).values()];
  return (
    <section class="consumer">
      <h3>{label}</h3>
      <p>{about}</p>
      <ol>
        {attempts.map((one) => (
          <li key={one.key} class={`delivery ${one.outcome ?? 'running'}`}>
            <span>{one.first.type}</span> <span>{describe(one)}</span>
            <time dateTime={new Date(one.began).toISOString()}>{formatTime(one.began)}</time>
          </li>
        ))}
      </ol>
      <p class={`effect ${isRight ? 'right' : 'wrong'}`}>{effect}</p>
    </section>
  );
}

function describe({ outcome, fault }: StreamedAttempt): string {
  if (outcome === 'duplicate') return 'recognised as a duplicate, nothing changed';
  const why = fault === undefined ? '' : ` (${fault})`;
  return `${outcome ?? 'runs'}${why}`;
}
