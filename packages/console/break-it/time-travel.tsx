import { signal } from '@preact/signals';
import { ask } from '../page/ask.js';
import { readStatus } from '../page/clock.js';
import { formatDuration } from '../page/format.js';
import { listen } from '../page/stream.js';
import { said } from './actions.js';

const JUMPS = [
  { label: '+1 min', milliseconds: 60_000 },
  { label: '+1 h', milliseconds: 3_600_000 },
  { label: '+1 d', milliseconds: 86_400_000 },
  { label: '+36 d', milliseconds: 36 * 86_400_000 },
] as const;

/** Time that passes now, in milliseconds: how much in all, and how much so far. Anybody may have let it pass. */
const passing = signal<{ readonly all: number; readonly passed: number } | undefined>(undefined);

listen(({ kind, outcome, ms = 0 }) => {
  if (kind !== 'time') return;
  if (outcome === 'forwards') passing.value = { all: ms, passed: 0 };
  else if (outcome === 'forwarding' && passing.value) passing.value = { ...passing.value, passed: ms };
  else passing.value = undefined;
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

/** Buttons that let time pass at once: all that would happen in it happens. */
export function TimeTravel() {
  const now = passing.value;
  return (
    <>
      <h2>Time</h2>
      <p>
        All that would happen in it happens, in order: timers, retries, TTL, retention. After 36 days a message is too
        old to be recognised, so it is quarantined.
      </p>
      <div class="jumps">
        {JUMPS.map(({ label, milliseconds }) => (
          <button key={label} type="button" disabled={now !== undefined} onClick={() => void jump(milliseconds)}>
            {label}
          </button>
        ))}
      </div>
      {now === undefined ? null : (
        <label class="passing">
          {formatDuration(now.passed)} of {formatDuration(now.all)} have passed
          <progress value={now.passed} max={now.all} />
        </label>
      )}
    </>
  );
}
