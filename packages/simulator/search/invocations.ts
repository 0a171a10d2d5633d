/** An invocation in the trace of a history. */
export interface TracedInvocation {
  readonly number: number;
  /** Place of its last line in the trace; the end of the trace if it hasn't ended. */
  readonly end: number;
  /** `returned`, or `failed Sandbox.Timedout: ...`; absent if it hasn't ended. */
  readonly outcome?: string;
}

/** Returns a line without its time. */
export const withoutTime = (line: string): string => line.replace(/^\S+ /, '').trim();

/** Returns the lines of a construct, and not those of another one whose path begins alike. */
export const isOf = (line: string, owner: string): boolean => ` ${line} `.includes(` ${owner} `);

/** Lists the invocations of a function, each with the line in which it begins, or -1 where the trace begins later. */
function listInvocations(trace: readonly string[], label: string): readonly (TracedInvocation & { begin: number })[] {
  const found = new Map<number, TracedInvocation & { begin: number }>();
  const beginning = `${label} invocation `;
  for (const [at, line] of trace.entries()) {
    const text = withoutTime(line);
    const [, digits, what = ''] = text.startsWith(beginning)
      ? (/^(\d+) (.*)$/.exec(text.slice(beginning.length)) ?? [])
      : [];
    if (digits === undefined) continue;
    const number = Number(digits);
    if (what.startsWith('begins')) found.set(number, { number, begin: at, end: trace.length });
    else if (/^(returned|failed)/.test(what))
      found.set(number, { number, begin: found.get(number)?.begin ?? -1, end: at, outcome: what });
  }
  return [...found.values()];
}

/** Returns the invocation that ran at a line of the trace; nothing where none or several of its function did. */
export function findRunning(trace: readonly string[], at: number, label: string): TracedInvocation | undefined {
  const [running, ...others] = listInvocations(trace, label).filter(({ begin, end }) => begin <= at && at <= end);
  return others.length > 0 ? undefined : running;
}

/** Whether a construct is invoked in a history. */
export const isInvoked = (trace: readonly string[], label: string): boolean => listInvocations(trace, label).length > 0;

/**
 * Says how a function came to be invoked again for the same: its queue gave a message again, its client repeated a request, or AWS repeated the
 * invocation. Another request or message that invokes it is nothing of this.
 * @param at line of the fault @param from line behind which it was invoked again
 */
export function describeRepetition(
  trace: readonly string[],
  at: number,
  from: number,
  label: string,
  isResultLost: boolean,
): string | undefined {
  const begins = (line: string): boolean => /invocation \d+ begins/.test(line) && isOf(line, label);
  const next = trace.findIndex((line, index) => index > from && begins(line));
  if (next < 0) return undefined;
  const [before, between] = [trace.slice(0, at + 1).map(withoutTime), trace.slice(at + 1, next).map(withoutTime)];
  const got = between.findLast((text) => text.startsWith(`${label} gets `));
  if (got !== undefined) {
    const ids = got.slice(`${label} gets `.length).split(' ');
    const known = before.filter((text) => text.startsWith(`${label} gets `)).flatMap((text) => text.split(' '));
    return ids.some((id) => known.includes(id)) ? `${label} got the same message again.` : undefined;
  }
  const asked = between.findLast((text) => text.startsWith('client ') && !text.includes(' -> '));
  if (asked === undefined) return isResultLost ? `${label} was invoked again.` : undefined;
  const isRepeated = before.includes(asked) && between.some((text) => /^ -> (5|429)/.test(text.replace(asked, '')));
  return isRepeated
    ? `${label} was invoked again, since its client repeated ${asked.slice('client '.length)}.`
    : undefined;
}
