import type { CauseNote } from './cause-notes.js';
import type { OperatorCause } from './causes.js';
import type { AffectedCustomers } from './customers.js';
import { closingCommands, countSubjects, countUnclear, type SummaryContext } from './summary.js';
import { countByHour } from './trend.js';

/**
 * Returns the commands that end a cause: once it is gone, and by a decision. A stuck saga has one consumer, so its group is the
 * cause.
 * @param id the cause's, or a beginning of it
 */
export function endingCommands(
  { kind, groups }: Pick<OperatorCause, 'kind' | 'groups'>,
  id: string,
  context: Pick<SummaryContext, 'now' | 'command'>,
) {
  if (kind === 'stuck saga') return closingCommands(kind, groups[0]?.id ?? '', context);
  const { command } = context;
  return {
    again: command('failures', 'redrive', '--cause', id),
    close: command('failures', 'discard', '--cause', id, '--reason', '<why>'),
  };
}

/** Returns the fields of a cause for scripts. */
export function causeSummaryOf(
  one: OperatorCause,
  { customers, note }: { readonly customers: AffectedCustomers | undefined; readonly note: CauseNote | undefined },
  context: SummaryContext,
) {
  const { id, kind, cause, trouble, members, more, groups } = one;
  const { now, command, pageOn } = context;
  const newest = members.at(-1);
  const page = pageOn?.(trouble);
  const ways = endingCommands(one, id, context);
  const trend = countByHour(
    members.map(({ at }) => at),
    now,
  );
  return {
    id,
    kind,
    ...cause,
    count: members.length,
    more,
    consumers: new Set(groups.map(({ service, consumer }) => `${service}/${consumer}`)).size,
    groups,
    first: members[0]?.at,
    last: newest?.at,
    /** By the hour, the oldest first; the last one ends now. */
    trend,
    lastHour: trend.at(-1) ?? 0,
    older: members.length - trend.reduce((sum, count) => sum + count, 0),
    ...countUnclear(members),
    subjects: countSubjects(members),
    ...(customers && { customers }),
    ...(note && { note }),
    ...(newest && { sample: command(...newest.show, newest.id) }),
    next: ways.again,
    close: ways.close,
    ...(page !== undefined && { page }),
  };
}

export type CauseSummary = ReturnType<typeof causeSummaryOf>;
