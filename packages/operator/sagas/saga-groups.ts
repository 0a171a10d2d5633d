import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { eachOf } from '@orderly/kit/internal/aws/each-of.js';
import { ContractViolation } from '@orderly/kit/internal/messages/contract.js';
import { OperatorError } from '../cli/errors.js';
import type { Service } from '../deployment/services.js';
import { type Cause, groupIdOf, withoutValues } from '../failures/failure-causes.js';
import { groupedBy } from '../failures/grouped-by.js';
import { stuckOf } from './saga-list.js';
import { stepWords, stuckSince, type WaitingState } from './saga-words.js';
import { readSaga, type Saga, type SagaKind, sagaKindsOf } from './sagas.js';

/** A saga that waits for an operator. */
export type StuckSaga = Saga & { readonly state: WaitingState & { readonly status: 'STUCK' } };

/** Sagas that are stuck at the same step for the same reason. */
export interface StuckGroup {
  readonly id: string;
  readonly cause: Cause;
  /** The one that is stuck the longest first. */
  readonly sagas: readonly StuckSaga[];
  /** Whether more sagas of their type are stuck than were read. Some of them may be of this group. */
  readonly more: boolean;
}

/** The stuck sagas of an environment. */
export interface StuckSagas {
  /** The largest first. */
  readonly groups: readonly StuckGroup[];
  /** Those that this release can't read. */
  readonly unreadable: readonly Unreadable[];
}

/** A saga that this release can't read: another release has written it, or an item is no commit. */
export interface Unreadable {
  readonly kind: SagaKind;
  readonly id: string;
  readonly why: string;
}

/** Name of the error in the cause of such a group. */
export const SAGA_STUCK = 'SagaStuck';
/** Most stuck sagas of one type that are read. */
const MOST_STUCK = 1_000;
/** Sagas that are read at the same time. */
const AT_ONCE = 20;

/** Returns why a saga is stuck; failures of its participants are other groups. */
export const stuckCause = ({ kind, state }: StuckSaga): Cause => ({
  service: kind.service.name,
  consumer: kind.consumer.name,
  error: SAGA_STUCK,
  message: `${stepWords(state)}: ${withoutValues(state.reason ?? 'no reason was given')}`,
});

/**
 * Reads the stuck sagas of an environment, or of one consumer, and groups them. Their list is eventually consistent, each saga
 * is read strongly consistent. It reads 1,000 sagas of a type at most: `more` says that there are more.
 */
export async function readStuckGroups(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  consumer: string | undefined,
): Promise<StuckSagas> {
  const kinds = sagaKindsOf(services).filter((kind) => consumer === undefined || kind.consumer.name === consumer);
  const listed = await Promise.all(kinds.map((kind) => stuckOf(documents, kind, MOST_STUCK)));
  const whole = new Set(kinds.filter((_, at) => (listed[at]?.length ?? 0) <= MOST_STUCK));
  const asked = listed.flatMap((ofKind) => ofKind.slice(0, MOST_STUCK));
  const read = await eachOf(asked, AT_ONCE, ({ kind, id }) => readIfReadable(documents, kind, id));
  const stuck = read
    .filter((one) => 'state' in one)
    .filter(isStuck)
    .toSorted((one, other) => stuckSince(one).localeCompare(stuckSince(other)));
  const groups = [...groupedBy(stuck, (saga) => groupIdOf(stuckCause(saga)))].flatMap(([id, sagas]) =>
    sagas[0] ? [{ id, cause: stuckCause(sagas[0]), sagas, more: sagas.some(({ kind }) => !whole.has(kind)) }] : [],
  );
  return {
    groups: groups.toSorted((one, other) => other.sagas.length - one.sagas.length || one.id.localeCompare(other.id)),
    unreadable: read.filter((one) => 'why' in one),
  };
}

/** Reads a saga, strongly consistent; says why if this release can't. */
export async function readIfReadable(
  documents: DynamoDBDocumentClient,
  kind: SagaKind,
  id: string,
): Promise<Saga | Unreadable> {
  try {
    return await readSaga(documents, kind, id);
  } catch (error) {
    const isOfItsItems =
      error instanceof ContractViolation || (error instanceof OperatorError && error.code === 'refused');
    if (!isOfItsItems) throw error;
    return { kind, id, why: error.message };
  }
}

export const isStuck = (saga: Saga): saga is StuckSaga => saga.state.status === 'STUCK';
