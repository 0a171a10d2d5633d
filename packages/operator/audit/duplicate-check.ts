import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import type { CommandContext } from '../cli/context.js';
import { pluralize } from '../cli/text-format.js';

/** Something that was done twice: a cause that one aggregate applied twice, or an effect that it may have only once. */
export interface DuplicateEffect {
  readonly subject: string;
  /** Cause that was applied twice. */
  readonly trigger?: string;
  /** Effect that happened twice, whatever caused it. */
  readonly type?: string;
  readonly versions: readonly number[];
}

/** How an application finds what was done twice, for `audit`. */
export interface DuplicateCheck {
  /** Word for what is checked, which is also the command that reports on one: `order`. */
  readonly noun: string;
  /** Returns the ids of all that a commit is about. It is a pure function. */
  readonly idsIn: (commit: Commit) => readonly string[];
  /**
   * Returns a function that reads one of them, strongly consistent, and says what was done twice. It is called for the oldest
   * first, and for several at the same time.
   */
  readonly openCheck: (
    context: Pick<CommandContext, 'documents' | 'services'>,
  ) => (id: string) => Promise<readonly DuplicateEffect[]>;
}

/** One of the application's with something that was done twice. */
export interface DuplicateFinding {
  readonly id: string;
  readonly effects: readonly DuplicateEffect[];
  /** Command that shows it. */
  readonly next: string;
}

/** Findings of a check. */
export interface DuplicateCheckResult extends Pick<DuplicateCheck, 'noun'> {
  readonly checked: number;
  /** Number of those beyond the bound, which were not checked. */
  readonly left: number;
  /** Time of the first commit about one that is left. */
  readonly leftFrom?: string;
  readonly found: readonly DuplicateFinding[];
}

/** Ids that the audited commits are about, each with the time of its first one. */
export class SeenIds {
  private readonly firstAt = new Map<string, string>();

  constructor(private readonly check: Pick<DuplicateCheck, 'idsIn'>) {}

  add(commits: readonly Commit[]): void {
    for (const commit of commits) {
      for (const id of this.check.idsIn(commit)) {
        const known = this.firstAt.get(id);
        if (known === undefined || commit.at < known) this.firstAt.set(id, commit.at);
      }
    }
  }

  get oldestFirst(): readonly (readonly [id: string, at: string])[] {
    return [...this.firstAt].toSorted(([one, at], [other, then]) => at.localeCompare(then) || one.localeCompare(other));
  }
}

/** Most ids that one audit by hand checks. One costs about ten reads. */
export const MAX_CHECKED = 10_000;
/** Number of those that are read at the same time. */
const CONCURRENCY = 20;

interface Checking {
  readonly context: Pick<CommandContext, 'documents' | 'services' | 'command' | 'say'>;
  /** Most ids that are checked. */
  readonly most: number;
  /** Asked before each {@link CONCURRENCY}. What there is no time for is left. */
  readonly hasTime: () => boolean;
}

/** Checks what was seen, the oldest first, up to a bound, and while there is time. */
export async function findDuplicates(
  check: DuplicateCheck,
  { oldestFirst }: SeenIds,
  { context, most, hasTime }: Checking,
): Promise<DuplicateCheckResult> {
  const asked = oldestFirst.slice(0, most);
  const twiceIn = check.openCheck(context);
  const found: DuplicateFinding[] = [];
  let checked = 0;
  for (let at = 0; at < asked.length && hasTime(); at += CONCURRENCY) {
    const some = asked.slice(at, at + CONCURRENCY);
    const effects = await Promise.all(some.map(([id]) => twiceIn(id)));
    for (const [index, own] of effects.entries()) {
      const [id = ''] = some[index] ?? [];
      if (own.length > 0) found.push({ id, effects: own, next: context.command(check.noun, id) });
    }
    checked += some.length;
    if (at > 0 && at % (CONCURRENCY * 25) === 0)
      context.say(`${at} of ${pluralize(asked.length, check.noun)} checked`, at / asked.length);
  }
  const [, leftFrom] = oldestFirst[checked] ?? [];
  return {
    noun: check.noun,
    checked,
    left: oldestFirst.length - checked,
    ...(leftFrom !== undefined && { leftFrom }),
    found,
  };
}

/** Describes something that was done twice. */
export function describeDuplicate({ subject, trigger, type, versions }: DuplicateEffect): string {
  const what = trigger === undefined ? `${type} happened twice in` : `${trigger} was applied twice to`;
  return `${what} ${subject}, as versions ${versions.join(' and ')}`;
}

/** The verdict as a sentence. */
export function describeDuplicateCheck({ noun, checked, left, found }: DuplicateCheckResult): string {
  const all = `${pluralize(checked, noun)} checked${left > 0 ? `, ${left} left` : ''}`;
  return found.length === 0
    ? `Nothing was done twice: ${all}.`
    : `Something was done twice in ${pluralize(found.length, noun)}: ${all}.`;
}

/**
 * Returns lines about each one that was found, with the next command, and the command that checks those that are left.
 * @param from returns the command that audits from a time on
 */
export function renderDuplicates(
  { noun, found, leftFrom }: DuplicateCheckResult,
  { listed, from }: { readonly listed: number; readonly from: (at: string) => string },
): readonly string[] {
  const more = found.length - listed;
  return [
    ...found
      .slice(0, listed)
      .flatMap(({ id, effects, next }) => [
        '',
        `${noun} ${id}`,
        ...effects.map((one) => `  ${describeDuplicate(one)}`),
        `  ${next}`,
      ]),
    ...(more > 0 ? [`and ${more} more (--json lists all)`] : []),
    ...(leftFrom === undefined ? [] : ['', `check those that are left: ${from(leftFrom)}`]),
  ];
}
