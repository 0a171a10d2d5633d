import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { OperatorError } from '../cli/errors.js';
import { listenersNamed, listenersOf, type Service } from '../deployment/services.js';
import { type FoundRecord, failuresOf } from '../records/records.js';
import { type Cause, causeOf, groupIdOf } from './failure-causes.js';

/** Failures with the same cause that wait for an operator. */
export interface FailureGroup {
  readonly id: string;
  readonly cause: Cause;
  /** Oldest first, without their messages. */
  readonly failures: readonly FoundRecord[];
}

/** Returns the groups of failures, the largest first. */
export function groupsOf(found: readonly FoundRecord[]): readonly FailureGroup[] {
  const groups = new Map<string, { cause: Cause; failures: FoundRecord[] }>();
  for (const one of found.toSorted((one, other) => failedAt(one).localeCompare(failedAt(other)))) {
    const cause = causeOf(one);
    const id = groupIdOf(cause);
    const group = groups.get(id) ?? { cause, failures: [] };
    group.failures.push(one);
    groups.set(id, group);
  }
  return [...groups]
    .map(([id, group]) => ({ id, ...group }))
    .toSorted((one, other) => other.failures.length - one.failures.length || one.id.localeCompare(other.id));
}

const failedAt = ({ record }: FoundRecord): string => record.failedAt ?? '';

/**
 * Reads the failures of an environment, or of one consumer, and groups them. Eventually consistent.
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export async function readGroups(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  consumer: string | undefined,
): Promise<readonly FailureGroup[]> {
  const listeners = consumer === undefined ? listenersOf(services) : listenersNamed(services, consumer);
  const asked = { limit: Number.POSITIVE_INFINITY, withoutMessages: true };
  return groupsOf((await Promise.all(listeners.map((listener) => failuresOf(documents, listener, asked)))).flat());
}

/**
 * Finds the group whose id begins so, as git finds a commit.
 * @throws {OperatorError} `not-found`, or `refused` if several begin so
 */
export function groupNamed<Group extends Pick<FailureGroup, 'id' | 'cause'>>(
  groups: readonly Group[],
  prefix: string,
): Group {
  const found = groups.filter(({ id }) => id.startsWith(prefix));
  const [only, another] = found;
  if (only && !another) return only;
  const next = ['failures', 'groups'];
  if (!only) {
    throw new OperatorError(
      'not-found',
      `No group '${prefix}' of this kind waits. 'failures groups' lists all groups, each with its command.`,
      next,
    );
  }
  const all = found.map(({ id, cause }) => `${id} (${cause.consumer})`).join(', ');
  throw new OperatorError('refused', `${found.length} groups begin with '${prefix}': ${all}.`, next);
}
