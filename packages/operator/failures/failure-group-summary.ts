import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import type { CommandContext, Trouble } from '../cli/context.js';
import type { StuckGroup } from '../sagas/saga-groups.js';
import { stuckSince } from '../sagas/saga-words.js';
import type { Cause } from './failure-causes.js';
import type { Customers, FailedThing } from './failure-customers.js';
import type { FailureGroup } from './failure-groups.js';

/** Length of the two periods that are compared. */
const TREND_SECONDS = 3_600;
/** Maximum number of subjects of a group. */
const SHOWN_SUBJECTS = 3;

/** One of a group, in the words that both kinds of groups have. */
export interface Thing extends FailedThing {
  /** Time of its failure. */
  readonly at: string;
  /** Message id, or id of the saga. */
  readonly id: string;
  /** Words of the command that shows it, without its id. */
  readonly show: readonly string[];
  readonly unknown: boolean;
  /** Whether its newest text is sealed. */
  readonly sealed: boolean;
}

export interface Group {
  readonly kind: 'failure' | 'stuck saga';
  readonly id: string;
  readonly cause: Cause;
  readonly trouble: Trouble;
  /** Whether there may be more than were read. */
  readonly more: boolean;
  /** Oldest first. */
  readonly things: readonly Thing[];
}

export const ofFailures = ({ id, cause, failures }: FailureGroup): Group => ({
  kind: 'failure',
  id,
  cause,
  more: false,
  trouble: { what: 'failure', consumer: cause.consumer, error: cause.error },
  things: failures.map((failure) => ({
    at: failure.record.failedAt ?? '',
    id: failure.messageId,
    show: ['failures', 'show', failure.listener.name],
    unknown: failure.record.unknown === true,
    sealed: failure.record.failures?.[0]?.sealed !== undefined,
    subject: failure.record.subject,
    failure,
  })),
});

export const ofSagas = ({ id, cause, sagas, more }: StuckGroup): Group => ({
  kind: 'stuck saga',
  id,
  cause,
  more,
  trouble: { what: 'stuck saga', reason: sagas[0]?.state.reason },
  things: sagas.map((saga) => ({
    at: stuckSince(saga),
    id: saga.id,
    show: ['sagas', 'show'],
    unknown: false,
    sealed: false,
    subject: `${saga.kind.type}/${saga.id}`,
  })),
});

/** Commands that end a group, without the program: once its cause is gone, and by a decision. */
const WAYS = {
  failure: {
    again: ['failures', 'redrive', '--group'],
    close: ['failures', 'discard', '--group'],
    reason: ['--reason', '<why>'],
  },
  'stuck saga': {
    again: ['sagas', 'retry', '--group'],
    close: ['sagas', 'resolve', '--group'],
    reason: ['--note', '<what you did>'],
  },
} as const;

/**
 * Returns the commands that end a group.
 * @param id the group's, or a beginning of it
 * @param now time of the list: a saga that gets stuck later was not undone by hand
 */
export function waysOf(kind: Group['kind'], id: string, { now, command }: Pick<SummaryContext, 'now' | 'command'>) {
  const { again, close, reason } = WAYS[kind];
  const before = kind === 'stuck saga' ? ['--before', now] : [];
  return { again: command(...again, id), close: command(...close, id, ...before, ...reason) };
}

interface SummaryContext extends Pick<CommandContext, 'command' | 'pageOn'> {
  /** ISO 8601, UTC. */
  readonly now: string;
}

/** Returns the fields of a group for scripts. */
export function summaryOf(
  { kind, id, cause, trouble, things, more }: Group,
  customers: Customers | undefined,
  { now, command, pageOn }: SummaryContext,
) {
  const ages = things.map(({ at }) => secondsBetween(at, now));
  const subjects = [...new Set(things.flatMap(({ subject }) => subject ?? []))];
  const newest = things.at(-1);
  const page = pageOn?.(trouble);
  const ways = waysOf(kind, id, { now, command });
  return {
    id,
    kind,
    ...cause,
    count: things.length,
    more,
    first: things[0]?.at,
    last: newest?.at,
    lastHour: ages.filter((age) => age < TREND_SECONDS).length,
    hourBefore: ages.filter((age) => age >= TREND_SECONDS && age < 2 * TREND_SECONDS).length,
    /** Those that may have been processed before: a redrive of the group leaves them out. */
    unknown: things.filter(({ unknown }) => unknown).length,
    /** Those whose texts are sealed, so that they have no part in the cause. */
    sealedTexts: things.filter(({ sealed }) => sealed).length,
    subjects: { count: subjects.length, newest: subjects.slice(-SHOWN_SUBJECTS).toReversed() },
    ...(customers && { customers }),
    sample: newest?.id,
    next: ways.again,
    close: ways.close,
    ...(page !== undefined && { page }),
  };
}

export type Summary = ReturnType<typeof summaryOf>;
