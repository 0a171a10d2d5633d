import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { eachOf } from '../aws/each-of.js';
import { type Cause, groupIdOf } from './failure-causes.js';
import { groupedBy } from './grouped-by.js';
import { stuckOf } from './saga-list.js';
import { stepWords, stuckSince, type WaitingState } from './saga-words.js';
import { readSaga, type Saga, sagaKindsOf } from './sagas.js';
import type { Service } from './services.js';

/** A saga that waits for an operator. */
export type StuckSaga = Saga & { readonly state: WaitingState & { readonly status: 'STUCK' } };

/** Sagas that are stuck at the same step for the same reason. */
export interface StuckGroup {
  readonly id: string;
  readonly cause: Cause;
  /** The one that is stuck the longest first. */
  readonly sagas: readonly StuckSaga[];
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
  message: `${stepWords(state)}: ${state.reason ?? 'no reason was given'}`,
});

/**
 * Reads the stuck sagas of an environment, or of one consumer, and groups them, the largest group first. Their list is eventually
 * consistent, each saga is read strongly consistent. It reads 1,000 sagas of a type at most.
 */
export async function readStuckGroups(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  consumer: string | undefined,
): Promise<readonly StuckGroup[]> {
  const kinds = sagaKindsOf(services).filter((kind) => consumer === undefined || kind.consumer.name === consumer);
  const listed = await Promise.all(kinds.map((kind) => stuckOf(documents, kind, MOST_STUCK)));
  const read = await eachOf(listed.flat().slice(0, MOST_STUCK), AT_ONCE, ({ kind, id }) =>
    readSaga(documents, kind, id),
  );
  const stuck = read.filter(isStuck).toSorted((one, other) => stuckSince(one).localeCompare(stuckSince(other)));
  return [...groupedBy(stuck, (saga) => groupIdOf(stuckCause(saga)))]
    .flatMap(([id, sagas]) => (sagas[0] ? [{ id, cause: stuckCause(sagas[0]), sagas }] : []))
    .toSorted((one, other) => other.sagas.length - one.sagas.length || one.id.localeCompare(other.id));
}

export const isStuck = (saga: Saga): saga is StuckSaga => saga.state.status === 'STUCK';
