import { signal } from '@preact/signals';
import { ask } from '../page/ask.js';
import { readStatus } from '../page/clock.js';
import { formatDuration, formatNumber } from '../page/format.js';
import { listen } from '../page/stream.js';
import { said } from './actions.js';
import { ForecastTable } from './forecast-table.js';

/** Time that passes now. Anybody may have let it pass. */
interface Passing {
  /** Milliseconds in all, and so far. */
  readonly all: number;
  readonly passed: number;
  /** What has happened in it so far. */
  readonly deliveries: number;
  readonly timers: number;
}

const passing = signal<Passing | undefined>(undefined);

listen(({ kind, outcome, ms = 0 }) => {
  const now = passing.value;
  if (kind === 'time') {
    if (outcome === 'forwards') passing.value = { all: ms, passed: 0, deliveries: 0, timers: 0 };
    else passing.value = outcome === 'forwarding' && now ? { ...now, passed: ms } : undefined;
  } else if (now && kind === 'delivery' && outcome === 'began')
    passing.value = { ...now, deliveries: now.deliveries + 1 };
  else if (now && kind === 'timer') passing.value = { ...now, timers: now.timers + 1 };
});

async function jump(milliseconds: number): Promise<void> {
  try {
    const { took } = await ask<{ took: number }>('/_local/forward', { milliseconds });
    said.value = { text: `${formatDuration(milliseconds)} have passed in ${formatDuration(took)}.`, failed: false };
  } catch (error) {
    said.value = { text: (error as Error).message, failed: true };
  }
  passing.value = undefined;
  await readStatus();
}

/** Buttons that let time pass at once, with what will happen in it, and its progress. */
export function TimeTravel() {
  const now = passing.value;
  return (
    <>
      <h2 id="time">Let time pass</h2>
      <p>
        Everything that is due happens at once, in order. After 36 days the records of messages are gone: one that comes
        again then is too old to be recognised, so it is quarantined.
      </p>
      <ForecastTable isPassing={now !== undefined} onJump={(span) => void jump(span)} />
      {now === undefined ? null : (
        <label class="passing">
          {formatDuration(now.passed)} of {formatDuration(now.all)} have passed: {formatNumber(now.deliveries)}{' '}
          deliveries, {formatNumber(now.timers)} ticks of schedules
          <progress value={now.passed} max={now.all} />
        </label>
      )}
    </>
  );
}
