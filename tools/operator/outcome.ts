import type { Exit } from './errors.js';

/** What a command found or did: told to people as text, to scripts as one JSON object. */
export interface Outcome {
  readonly exitCode: Exit;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}
