import { LocalRunError } from './errors.js';
import type { OtherStart } from './local-run.js';

export interface ThisStart {
  /** Whether it keeps its state, which is one file of the clone. */
  readonly keep: boolean;
  /** Address that it was given (`ORDERLY_ENDPOINT`). @default a cloud or an emulator of its own */
  readonly endpoint?: string | undefined;
}

/**
 * Describes in a line the start that is running beside this one, and says which of them the other commands talk to.
 * @returns undefined if there is none
 * @throws {LocalRunError} if both would keep their state in the same file
 */
export function aboutOthers(others: readonly OtherStart[], { keep, endpoint }: ThisStart): string | undefined {
  const keeper = others.find(({ keeps }) => keeps !== undefined);
  if (keep && keeper)
    throw new LocalRunError(
      `The start ${whereIs(keeper)} keeps its state in ${keeper.keeps}: end it first, or start without --keep.`,
    );
  const [other] = others;
  if (!other) return undefined;
  const data = endpoint === undefined ? 'with data of its own' : `at ${endpoint}`;
  const does = 'endpoint' in other ? 'runs' : 'begins';
  return `Another start of this clone ${does} ${whereIs(other)}. This one runs beside it, ${data}. Commands in another terminal talk to the one that was ready last.`;
}

const whereIs = (other: OtherStart): string =>
  'endpoint' in other ? `at ${other.endpoint}` : `in process ${other.pid}`;
