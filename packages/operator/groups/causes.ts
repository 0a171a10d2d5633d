import type { Incident } from '../cli/context.js';
import { groupBy } from '../records/group-by.js';
import { causeHash, describeCause, type SharedCause, sharedCauseHash } from './cause.js';
import { findByBeginning, largestFirst, type Member, type OperatorGroup } from './group.js';

/** Incidents with the same cause, at any number of consumers. */
export interface OperatorCause<One extends Member = Member> {
  readonly kind: Incident['what'];
  readonly id: string;
  readonly cause: SharedCause;
  readonly trouble: Incident;
  /** Whether there may be more than were read. */
  readonly more: boolean;
  /** Oldest first. */
  readonly members: readonly One[];
  /** Groups of consumers that have members of it, those with the most first. A group may have other members, of other causes. */
  readonly groups: readonly CauseGroup[];
}

/** Part of a cause at one consumer: its group of failures. */
export interface CauseGroup {
  readonly id: string;
  readonly service: string;
  readonly consumer: string;
  /** Number of members of both. */
  readonly count: number;
}

/**
 * Puts the members of groups together by their causes, the largest cause first. It is a pure function.
 * @param groups all of them, so that a cause has the members of each consumer
 */
export function findCauses<One extends Member>(groups: readonly OperatorGroup<One>[]): readonly OperatorCause<One>[] {
  const cut = new Set(groups.filter(({ more }) => more).map(({ id }) => id));
  const members = groups.flatMap((group) => group.members).toSorted((one, other) => one.at.localeCompare(other.at));
  const causes = [...groupBy(members, ({ shared }) => sharedCauseHash(shared))].flatMap(([id, own]) => {
    const { shared, trouble } = own[0] ?? {};
    if (!shared || !trouble) return [];
    const parts = listGroups(own);
    const more = parts.some((part) => cut.has(part.id));
    return [{ kind: trouble.what, id, cause: shared, trouble, more, members: own, groups: parts }];
  });
  return causes.toSorted(largestFirst);
}

function listGroups(members: readonly Member[]): readonly CauseGroup[] {
  const byGroup = [...groupBy(members, ({ cause }) => causeHash(cause))];
  return byGroup
    .flatMap(([id, own]) => {
      const { service, consumer } = own[0]?.cause ?? {};
      return service === undefined || consumer === undefined ? [] : [{ id, service, consumer, count: own.length }];
    })
    .toSorted((one, other) => other.count - one.count || one.id.localeCompare(other.id));
}

/**
 * Finds the cause whose id begins so.
 * @throws {OperatorError} `not-found`, or `refused` if several begin so
 */
export const findCause = <One extends Member>(
  causes: readonly OperatorCause<One>[],
  prefix: string,
): OperatorCause<One> => findByBeginning('cause', causes, prefix, ({ id, cause }) => `${id} (${describeCause(cause)})`);

/** Says what the messages of a cause are and who published them: `OrderPlaced of orders`. */
export function describeMessages({ publisher, type }: SharedCause): string {
  if (type === undefined) return publisher === undefined ? 'messages of an unknown type' : `messages of ${publisher}`;
  return publisher === undefined ? type : `${type} of ${publisher}`;
}
