import { clock, sleep } from '../aws/clock.js';
import { describeError, logger } from '../aws/telemetry.js';
import { clientOf, type Request } from './http.js';
import { parsePreferredWait } from './prefer.js';
import { takeWaitSlot } from './wait-slots.js';

/** Pause before the second read, in milliseconds. Each further one is longer by {@link GROWTH}, up to {@link LONGEST_PAUSE_MS}. */
const FIRST_PAUSE_MS = 250;
const GROWTH = 1.5;
const LONGEST_PAUSE_MS = 2_000;

/** Value that a request waits for. */
export interface Awaited<Value> {
  /** Records table, which has the slots. */
  readonly table: string;
  /** Value as it was read before the wait. */
  readonly first: Value;
  /** Reads the value again, strongly consistent. */
  read(): Promise<Value>;
  /** Tells whether a later value may be another one, which is worth waiting for. */
  isPending(value: Value): boolean;
}

/**
 * Answers `Prefer: wait=20` (RFC 7240, 4.3): reads a value again and again until it is no longer pending, or the time is over. Its route
 * declares `waits`.
 *
 * A wait is bounded: by 20 seconds, and by three waits of a caller at once. A fourth one is answered at once, and so is one whose slot can't be
 * taken or whose value is not pending: then nothing is written, either.
 * @returns the newest value, and `Preference-Applied` if it waited
 * @example
 * const { value, headers } = await waitWhilePending(request, { table, first, read, isPending: (trip) => trip.status === 'OPEN' });
 */
export async function waitWhilePending<Value>(
  request: Pick<Request<unknown, unknown>, 'id' | 'caller' | 'listHeader'>,
  { table, first, read, isPending }: Awaited<Value>,
): Promise<{ readonly value: Value; readonly headers: Readonly<Record<string, string>> }> {
  const seconds = parsePreferredWait(request.listHeader('prefer'));
  if (seconds === undefined || !isPending(first)) return { value: first, headers: {} };
  const began = Date.parse(clock.now());
  const slot = await orWithoutSlot(() => takeWaitSlot(table, clientOf(request.caller), request.id, seconds));
  if (!slot) return { value: first, headers: {} };
  try {
    const value = await readWhilePending({ first, read, isPending }, began + seconds * 1000);
    return { value, headers: { 'Preference-Applied': `wait=${seconds}` } };
  } finally {
    await orWithoutSlot(() => slot.release());
  }
}

async function readWhilePending<Value>(
  { first, read, isPending }: Omit<Awaited<Value>, 'table'>,
  until: number,
): Promise<Value> {
  let value = first;
  for (let pause = FIRST_PAUSE_MS; isPending(value); pause = Math.min(pause * GROWTH, LONGEST_PAUSE_MS)) {
    const left = until - Date.parse(clock.now());
    if (left <= 0) break;
    await sleep(Math.min(pause, left));
    value = await read();
  }
  return value;
}

/** To wait is a wish: what goes wrong with a slot does not fail the request. */
async function orWithoutSlot<Result>(take: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await take();
  } catch (error) {
    logger.warn('a slot for a wait could not be taken or given back', { ...describeError(error) });
    return undefined;
  }
}
