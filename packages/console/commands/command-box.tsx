import { useSignal } from '@preact/signals';
import { AskFailed, ask } from '../page/ask.js';
import type { CommandRun } from '../server/commands.js';
import './commands.css';

interface BoxProps {
  /** The command, as it can be pasted into a shell. */
  readonly command: string;
  /** What it does, for people: `Process the group again`. */
  readonly label: string;
  /** Called when it has ended. */
  readonly onEnd?: () => void;
}

/** Milliseconds between two looks at a run. */
const LOOK_EVERY = 300;
/** Lines that are shown of what a command prints, its newest. */
const SHOWN = 200;

/** A command that can be changed, copied and run. What it prints appears below it. */
export function CommandBox({ command, label, onEnd }: BoxProps) {
  const text = useSignal(command);
  const run = useSignal<CommandRun | undefined>(undefined);
  const fault = useSignal('');
  const isRunning = run.value !== undefined && run.value.code === undefined;

  const start = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isRunning) return;
    fault.value = '';
    try {
      run.value = await ask<CommandRun>('/_console/runs', { command: text.value });
      while (run.value !== undefined && run.value.code === undefined) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
        run.value = await ask<CommandRun>(`/_console/runs/${run.value.id}`);
      }
      onEnd?.();
    } catch (error) {
      fault.value = error instanceof AskFailed ? error.message : String(error);
      run.value = undefined;
    }
  };
  return (
    <form class="command" onSubmit={start} aria-label={label}>
      <span class="what">{label}</span>
      <input
        type="text"
        aria-label={`Command: ${label}`}
        spellcheck={false}
        autocomplete="off"
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
      <button type="submit" disabled={isRunning}>
        {isRunning ? 'Running …' : 'Run'}
      </button>
      <button type="button" onClick={() => void navigator.clipboard?.writeText(text.value)}>
        Copy
      </button>
      {fault.value === '' ? null : (
        <p class="failed" role="alert">
          {fault.value}
        </p>
      )}
      {run.value === undefined ? null : <Printed run={run.value} />}
    </form>
  );
}

function Printed({ run: { lines, code } }: { readonly run: CommandRun }) {
  return (
    <div class="printed" role="status">
      <pre>{lines.slice(-SHOWN).join('\n')}</pre>
      {code === undefined ? null : <p>{code === 0 ? 'Done.' : `Ended with exit code ${code}.`}</p>}
    </div>
  );
}
