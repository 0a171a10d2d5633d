import type { Incident } from '../cli/context.js';
import { OperatorError } from '../cli/errors.js';
import type { FoundRecord } from '../records/consumer-records.js';
import { groupBy } from '../records/group-by.js';
import { type Cause, causeHash, type SharedCause } from './cause.js';

/** Something that waits for an operator: a failure, or a stuck saga. */
export interface Member {
  /** Message id, or id of the saga. */
  readonly id: string;
  readonly cause: Cause;
  /** Cause without its consumer. */
  readonly shared: SharedCause;
  readonly trouble: Incident;
  /** Time since which it waits. */
  readonly at: string;
  /** Words of the command that shows it, without its id. */
  readonly show: readonly string[];
  readonly subject: string | undefined;
  /** Whether it may have been processed before. */
  readonly unknown: boolean;
  /** Whether its newest text is sealed. */
  readonly sealed: boolean;
  readonly failure?: FoundRecord;
}

/** Incidents with the same cause that wait for an operator. */
export interface OperatorGroup<One extends Member = Member> {
  readonly kind: Incident['what'];
  readonly id: string;
  readonly cause: Cause;
  readonly trouble: Incident;
  /** Whether there may be more than were read. */
  readonly more: boolean;
  /** Oldest first. */
  readonly members: readonly One[];
}

/**
 * Groups members by their causes, the largest group first.
 * @param isCut whether more like a member may exist than were read. @default all were read
 */
export function groupFailures<One extends Member>(
  members: readonly One[],
  isCut: (member: One) => boolean = () => false,
): readonly OperatorGroup<One>[] {
  const oldestFirst = members.toSorted((one, other) => one.at.localeCompare(other.at));
  const groups = [...groupBy(oldestFirst, ({ cause }) => causeHash(cause))].flatMap(([id, own]) => {
    const { cause, trouble } = own[0] ?? {};
    return cause && trouble ? [{ kind: trouble.what, id, cause, trouble, more: own.some(isCut), members: own }] : [];
  });
  return groups.toSorted(largestFirst);
}

/** Facts by which a list sorts, and by which a command finds one. */
interface Sized {
  readonly id: string;
  readonly members: readonly unknown[];
}

export const largestFirst = (one: Sized, other: Sized): number =>
  other.members.length - one.members.length || one.id.localeCompare(other.id);

/**
 * Finds the group whose id begins so, as git finds a commit.
 * @throws {OperatorError} `not-found`, or `refused` if several begin so
 */
export const findGroup = <One extends Member>(
  groups: readonly OperatorGroup<One>[],
  prefix: string,
): OperatorGroup<One> => findByBeginning('group', groups, prefix, ({ id, cause }) => `${id} (${cause.consumer})`);

/**
 * Finds a group or a cause by a beginning of its id.
 * @throws {OperatorError} `not-found`, or `refused` if several begin so
 */
export function findByBeginning<One extends { readonly id: string }>(
  what: 'group' | 'cause',
  all: readonly One[],
  prefix: string,
  describe: (one: One) => string,
): One {
  const found = all.filter(({ id }) => id.startsWith(prefix));
  const [only, another] = found;
  if (only && !another) return only;
  const next = ['failures', `${what}s`];
  if (!only) {
    throw new OperatorError(
      'not-found',
      `No ${what} '${prefix}' of this kind waits. 'failures ${what}s' lists all ${what}s, each with its command.`,
      next,
    );
  }
  const names = found.map(describe).join(', ');
  throw new OperatorError('refused', `${found.length} ${what}s begin with '${prefix}': ${names}.`, next);
}
