import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import type { CommandContext } from '../cli/context.js';
import type { AffectedCustomers } from './customers.js';
import type { Member, OperatorGroup } from './group.js';

/** Length of the two periods that are compared. */
const TREND_SECONDS = 3_600;
/** Maximum number of subjects of a group. */
const SHOWN_SUBJECTS = 3;

export interface SummaryContext extends Pick<CommandContext, 'command' | 'pageOn'> {
  /** ISO 8601, UTC. */
  readonly now: string;
}

/**
 * Returns the commands that end a group: once its cause is gone, and by a decision.
 * @param id the group's, or a beginning of it
 */
export function closingCommands(
  kind: OperatorGroup['kind'],
  id: string,
  { now, command }: Pick<SummaryContext, 'now' | 'command'>,
) {
  return kind === 'failure'
    ? {
        again: command('failures', 'redrive', '--group', id),
        close: command('failures', 'discard', '--group', id, '--reason', '<why>'),
      }
    : {
        again: command('sagas', 'retry', '--group', id),
        // A saga that gets stuck after the list was not compensated by hand.
        close: command('sagas', 'resolve', '--group', id, '--before', now, '--note', '<what you did>'),
      };
}

/** Counts the members that need a look of their own. */
export const countUnclear = (members: readonly Member[]) => ({
  /** Those that may have been processed before: a redrive of all leaves them out. */
  unknown: members.filter(({ unknown }) => unknown).length,
  /** Those whose texts are sealed, so that they have no part in the cause. */
  sealedTexts: members.filter(({ sealed }) => sealed).length,
});

/** Counts the subjects of members. @param members oldest first */
export function countSubjects(members: readonly Member[]) {
  const subjects = [...new Set(members.flatMap(({ subject }) => subject ?? []))];
  return { count: subjects.length, newest: subjects.slice(-SHOWN_SUBJECTS).toReversed() };
}

/** Returns the fields of a group for scripts. */
export function summaryOf(
  { kind, id, cause, trouble, members, more }: OperatorGroup,
  customers: AffectedCustomers | undefined,
  { now, command, pageOn, causes }: SummaryContext & { readonly causes: readonly string[] },
) {
  const ages = members.map(({ at }) => secondsBetween(at, now));
  const newest = members.at(-1);
  const page = pageOn?.(trouble);
  const ways = closingCommands(kind, id, { now, command });
  return {
    id,
    kind,
    ...cause,
    /** Ids of the causes across consumers that it has members of. */
    causes,
    count: members.length,
    more,
    first: members[0]?.at,
    last: newest?.at,
    lastHour: ages.filter((age) => age < TREND_SECONDS).length,
    hourBefore: ages.filter((age) => age >= TREND_SECONDS && age < 2 * TREND_SECONDS).length,
    ...countUnclear(members),
    subjects: countSubjects(members),
    ...(customers && { customers }),
    sample: newest?.id,
    next: ways.again,
    close: ways.close,
    ...(page !== undefined && { page }),
  };
}

export type Summary = ReturnType<typeof summaryOf>;
