import type { Progress } from './search-app.js';

/** Milliseconds between two lines about a search, where nobody sits at a terminal. */
const LINE_EVERY = 10_000;

/** Shows how far a search is: in one line that changes on a terminal, and in a line now and then elsewhere, as in a build's log. */
export function showProgress(
  terminal: { readonly isTTY?: boolean; write(text: string): unknown },
  now: () => number = Date.now,
): (progress: Progress) => void {
  let said = now();
  return ({ scenario, done, all, broken }) => {
    const text = `${scenario}: ${done} of ${all} histories, ${broken} broke a promise`;
    if (terminal.isTTY) terminal.write(`\r${text}\u001b[K${done === all ? '\n' : ''}`);
    else if (now() - said >= LINE_EVERY) {
      said = now();
      terminal.write(`${text}\n`);
    }
  };
}
