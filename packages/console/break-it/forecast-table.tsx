import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatDuration, formatNumber, formatTime } from '../page/format.js';
import { useAnswer } from '../page/loading.js';
import { FailedState, LoadingState } from '../page/states.js';
import { listen } from '../page/stream.js';
import { FORECAST_KINDS, FORECAST_SPANS, type Forecast, type ForecastKind } from '../server/forecast-contract.js';

/** Milliseconds after something happened at which the forecast is read again. */
const READ_AFTER = 1_000;
/** Milliseconds after which it is read again although nothing has happened. */
const ANYWAY = 10_000;

const WORDS: Readonly<Record<ForecastKind, string>> = {
  timer: 'timers of the app are due',
  schedule: 'schedules tick',
  visible: 'messages become visible in their queue again',
  retry: 'deliveries and invocations are tried again',
  expiry: 'items expire, such as the records that recognise duplicates',
  retention: 'messages are dropped, because their retention ends',
};
const ONE: Readonly<Record<ForecastKind, string>> = {
  timer: 'timer',
  schedule: 'schedule',
  visible: 'visible again',
  retry: 'retry',
  expiry: 'expires',
  retention: 'dropped',
};

interface ForecastProps {
  readonly isPassing: boolean;
  readonly onJump: (milliseconds: number) => void;
}

/** Buttons that let time pass, each above what will happen in it. */
export function ForecastTable({ isPassing, onJump }: ForecastProps) {
  const again = useSignal(0);
  const forecast = useAnswer<Forecast>('/_console/forecast', again.value).value;
  useEffect(() => {
    let planned: ReturnType<typeof setTimeout> | undefined;
    const read = (): void => {
      planned = undefined;
      if (!document.hidden) again.value++;
    };
    const stop = listen(() => {
      planned ??= setTimeout(read, READ_AFTER);
    });
    const anyway = setInterval(read, ANYWAY);
    return () => {
      stop();
      clearTimeout(planned);
      clearInterval(anyway);
    };
  }, []);
  const counts = forecast.state === 'loaded' ? forecast.answer.counts : {};
  return (
    <>
      <div class="scrolled">
        <table class="forecast">
          <caption class="unseen">Buttons that let time pass, and what will happen in it</caption>
          <thead>
            <tr>
              {FORECAST_SPANS.map((span) => (
                <th key={span} scope="col">
                  <button type="button" disabled={isPassing} onClick={() => onJump(span)}>
                    +{formatDuration(span)}
                  </button>
                </th>
              ))}
              <th scope="col">In this time</th>
            </tr>
          </thead>
          <tbody>
            {FORECAST_KINDS.map((kind) => {
              const numbers = counts[kind];
              return numbers ? (
                <tr key={kind}>
                  {numbers.map((count, at) => (
                    <td key={FORECAST_SPANS[at]} class={count === 0 ? 'none' : undefined}>
                      {formatNumber(count)}
                    </td>
                  ))}
                  <th scope="row">{WORDS[kind]}</th>
                </tr>
              ) : null;
            })}
          </tbody>
        </table>
      </div>
      {forecast.state === 'loading' ? <LoadingState of="the forecast" /> : null}
      {forecast.state === 'failed' ? <FailedState what="The forecast" error={forecast.error} /> : null}
      {forecast.state === 'loaded' ? <Next {...forecast.answer} /> : null}
    </>
  );
}

function Next({ now, next }: Forecast) {
  if (next.length === 0) return null;
  return (
    <details class="next-up">
      <summary>
        Next, in {formatDuration(Math.max(0, (next[0]?.at ?? now) - now))}: {next[0] && ONE[next[0].kind]},{' '}
        {next[0]?.owner}
      </summary>
      <ol class="happenings">
        {next.map(({ kind, owner, at, count }) => (
          <li key={kind + owner} class="happening">
            <time dateTime={new Date(at).toISOString()}>
              in {formatDuration(Math.max(0, at - now))} ({formatTime(at).slice(0, 8)})
            </time>
            <span class="outcome">{ONE[kind]}</span>
            <span class="owner">{owner}</span>
            {count > 1 ? <span>the first of {formatNumber(count)}</span> : null}
          </li>
        ))}
      </ol>
    </details>
  );
}
