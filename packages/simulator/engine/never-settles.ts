/** A planned event that the end of a history waits for. */
export interface AwaitedEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Owner and kind of work: `Shop/Queue: a message comes again`. */
  readonly about: string | undefined;
}

/** A history without an end: an infinite loop, or work that never settles. */
export class NeverSettles extends Error {
  override readonly name = 'NeverSettles';
}

/** Lines at the end of a trace that show what a history turns in. */
const LAST = 300;
/** Owners that are named. */
const NAMED = 3;

const ONE_HOUR = 3_600_000;
const ONE_DAY = 24 * ONE_HOUR;

/** Says that a history doesn't end, and why. */
export function describeEndless(
  reason: string,
  history: {
    readonly now: number;
    readonly awaited: readonly AwaitedEvent[];
    /** Number of ticks of each schedule. */
    readonly ticks: ReadonlyMap<string, number>;
    /** The trace. */
    readonly lines: readonly string[];
  },
): string {
  const parts = [
    reason,
    sentence('still awaited', describeAwaited(history.awaited, history.now)),
    sentence('schedules that ticked meanwhile', nameMost(history.ticks)),
    sentence('at last', describeLast(history.lines)),
  ];
  return parts.filter((part) => part !== '').join('; ');
}

const sentence = (subject: string, text: string): string => (text === '' ? '' : `${subject}: ${text}`);

const nameMost = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, NAMED)
    .map(([name, times]) => `${name} (${times} times)`)
    .join(', ');

/** Names the work that is planned, the soonest first, with the time until it comes. */
function describeAwaited(awaited: readonly AwaitedEvent[], now: number): string {
  const soonest = new Map<string, { count: number; at: number }>();
  for (const { at, about = 'work that has begun' } of awaited) {
    const known = soonest.get(about) ?? { count: 0, at };
    soonest.set(about, { count: known.count + 1, at: Math.min(known.at, at) });
  }
  const named = [...soonest].sort(([, one], [, other]) => one.at - other.at).slice(0, NAMED);
  return named
    .map(([about, { count, at }]) => {
      const when = at > now ? `in ${describeTime(at - now)}` : 'now';
      return `${about} ${when}${count > 1 ? `, and ${count - 1} more` : ''}`;
    })
    .join(', ');
}

export function describeTime(milliseconds: number): string {
  if (milliseconds >= ONE_DAY) return `${Math.round(milliseconds / ONE_DAY)} days`;
  if (milliseconds >= ONE_HOUR) return `${Math.round(milliseconds / ONE_HOUR)} hours`;
  return milliseconds >= 1_000 ? `${Math.round(milliseconds / 1_000)} s` : `${milliseconds} ms`;
}

/** Says what happened last, and how often: the work that a history turns in. */
function describeLast(lines: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const line of lines.slice(-LAST)) {
    const owner = line
      .replace(/^\S+ /, '')
      .replace(/ \d.*$/, '')
      .trim();
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return nameMost(counts);
}
