import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { pluralize } from '../cli/text-format.js';
import { readCauseNotes } from './cause-notes.js';
import { type CauseSummary, causeSummaryOf } from './cause-summary.js';
import { findCauses, type OperatorCause } from './causes.js';
import { type CustomerSource, findCustomers } from './customers.js';
import { readFailureGroups } from './failures.js';
import { largestFirst, type OperatorGroup } from './group.js';
import { readStuckGroups, type StuckSagas } from './sagas.js';
import { type Summary, summaryOf } from './summary.js';

/** Maximum number of groups and of causes as text, and of those whose customers are looked for. `--json` has all. */
export const SHOWN = 20;

export type OverviewContext = Pick<CommandContext, 'app' | 'documents' | 'services' | 'command' | 'pageOn' | 'clock'>;

/** All failures and stuck sagas, by consumer and by cause. */
export interface FailureOverview {
  /** Time before which it was read, ISO 8601. */
  readonly now: string;
  readonly groups: readonly Counted<OperatorGroup, Summary>[];
  readonly causes: readonly Counted<OperatorCause, CauseSummary>[];
  readonly unreadable: StuckSagas['unreadable'];
  readonly exitCode: Exit;
  /** The overview for scripts, the same of each command that shows it. */
  readonly json: Outcome['json'];
}

interface Counted<Of, Fields> {
  readonly of: Of;
  readonly summary: Fields;
}

/**
 * Reads failures and stuck sagas once, and puts them together by consumer and by cause, the largest first. It reads the index of
 * failures and the lists of stuck sagas, and no table as a whole.
 * @param consumer reads those of one consumer only: then a cause is its part at this consumer. @default all
 * @param customers how the application finds the customers. @default nothing says them
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export async function readOverview(
  context: OverviewContext,
  consumer: string | undefined,
  customers?: CustomerSource,
): Promise<FailureOverview> {
  const { documents, services, clock } = context;
  // Before it reads: what gets stuck meanwhile may not be in the list.
  const now = clock.now();
  const [failures, stuck, notes] = await Promise.all([
    readFailureGroups(context, consumer),
    readStuckGroups(documents, services, consumer),
    readCauseNotes(documents, services),
  ]);
  const groups: readonly OperatorGroup[] = [...failures, ...stuck.groups].toSorted(largestFirst);
  const causes = findCauses(groups);
  const shown = [...groups.slice(0, SHOWN), ...causes.slice(0, SHOWN)].map(({ members }) => members);
  const found = customers ? await findCustomers(context, customers, shown) : [];
  const summaryContext = { ...context, now };
  const countedCauses = causes.map((of, at) => ({
    of,
    summary: causeSummaryOf(
      of,
      {
        customers: at < SHOWN ? found[Math.min(groups.length, SHOWN) + at] : undefined,
        note: notes.get(of.id)?.note,
      },
      summaryContext,
    ),
  }));
  const countedGroups = groups.map((of, at) => ({
    of,
    summary: summaryOf(of, at < SHOWN ? found[at] : undefined, { ...summaryContext, causes: causesOf(of, causes) }),
  }));
  return {
    now,
    groups: countedGroups,
    causes: countedCauses,
    unreadable: stuck.unreadable,
    exitCode: groups.length + stuck.unreadable.length === 0 ? Exit.OK : Exit.NEEDS_OPERATOR,
    json: {
      groups: countedGroups.map(({ summary }) => summary),
      causes: countedCauses.map(({ summary }) => summary),
      unreadable: stuck.unreadable.length,
    },
  };
}

/** Returns the ids of the causes that a group has members of, the largest first. */
const causesOf = ({ id }: OperatorGroup, causes: readonly OperatorCause[]): readonly string[] =>
  causes.filter(({ groups }) => groups.some((group) => group.id === id)).map((cause) => cause.id);

/** Returns the lines about stuck sagas that this release can't read; they are in no group. */
export function renderUnreadable({ unreadable }: Pick<FailureOverview, 'unreadable'>): readonly string[] {
  const [first] = unreadable;
  if (!first) return [];
  return [
    '',
    `${pluralize(unreadable.length, 'stuck saga')} can't be read: ${first.kind.type}/${first.id}: ${first.why}`,
    'use the command line of the release that is deployed',
  ];
}
