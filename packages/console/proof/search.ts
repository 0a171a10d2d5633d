import { signal } from '@preact/signals';
import { AskFailed } from '../page/ask.js';
import type { HistoriesChoice, SearchLine } from '../server/histories-contract.js';
import { readLines } from './lines.js';
import { afterLine, beginWall, type Wall } from './wall.js';

/** The wall that is played, or was played last. It stays while somebody looks at another view. */
export const wall = signal<Wall | undefined>(undefined);

/** Ends the search that runs. */
let running: AbortController | undefined;

/** Plays the histories of a choice, and ends the search before it. The server ends it when the page goes. */
export async function play(choice: HistoriesChoice): Promise<void> {
  running?.abort();
  const own = new AbortController();
  running = own;
  let state = beginWall(choice);
  const show = (next: Wall): void => {
    state = next;
    if (running === own) wall.value = next;
  };
  show(state);
  try {
    await stream(choice, own.signal, (line) => show(afterLine(state, line)));
    if (state.state === 'playing') show({ ...state, state: 'failed', message: 'The server does not answer any more.' });
  } catch (error) {
    if (own.signal.aborted) return;
    show({ ...state, state: 'failed', message: (error as Error).message });
  }
}

/** Ends the search after its present history. */
export function stop(): void {
  running?.abort();
  if (wall.value) wall.value = { ...wall.value, state: 'stopped' };
}

/** @throws {AskFailed} if the server refuses */
async function stream(choice: HistoriesChoice, signal: AbortSignal, take: (line: SearchLine) => void): Promise<void> {
  const response = await fetch('/_console/histories/play', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(choice),
    signal,
  });
  if (!response.ok || !response.body) {
    const { message = `The server answered with status ${response.status}.` } = await response
      .json()
      .catch(() => ({ message: undefined }));
    throw new AskFailed(response.status, message);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const next = readLines(take);
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) next(piece.value);
}
