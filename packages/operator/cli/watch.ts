import { setTimeout } from 'node:timers/promises';
import { colourStates, wantsColour } from './colour.js';
import { OperatorError } from './errors.js';
import type { Outcome } from './outcome.js';

/** Where frames are drawn, and how long each one stays. */
export interface Screen {
  /** Shows a text in place of the one before. */
  readonly draw: (text: string) => void;
  readonly wait: () => Promise<void>;
}

/** Pause between two frames, in milliseconds. */
const EVERY = 5_000;

/** Moves to the top left corner, and clears from there to the end (ECMA-48: CUP, ED). */
const CLEAR = '\u001b[H\u001b[J';

/**
 * Returns the terminal of this process.
 * @throws {OperatorError} `usage` if the output is no terminal: its frames would be a heap of texts
 */
export function openTerminal(option: string, example: readonly string[]): Screen {
  const { stdout } = process;
  if (!stdout.isTTY) {
    throw new OperatorError(
      'usage',
      `${option} needs a terminal: for a script, repeat the command with --json.`,
      example,
    );
  }
  stdout.write('\u001b[2J');
  return {
    draw: (text) => void stdout.write(`${CLEAR}${wantsColour(stdout) ? colourStates(text) : text}\n`),
    wait: () => setTimeout(EVERY),
  };
}

/**
 * Shows a result again and again, until it is the last one; Ctrl-C ends the tool as usual.
 * @param isLast @default never
 * @returns the last result
 */
export async function watchOutcome(
  readOutcome: () => Promise<Outcome>,
  { draw, wait }: Screen,
  isLast: (outcome: Outcome) => boolean = () => false,
): Promise<Outcome> {
  for (;;) {
    const outcome = await readOutcome();
    if (isLast(outcome)) {
      draw('');
      return outcome;
    }
    draw(outcome.text);
    await wait();
  }
}
