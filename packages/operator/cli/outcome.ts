import type { Exit } from './errors.js';

/** Result of a command: text for people, one JSON object for scripts. */
export interface Outcome {
  readonly exitCode: Exit;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}
