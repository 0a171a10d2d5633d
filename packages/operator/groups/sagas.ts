import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mapConcurrently } from '@orderly/kit/internal/aws/map-concurrently.js';
import { ContractViolation } from '@orderly/kit/internal/messages/contract.js';
import { OperatorError } from '../cli/errors.js';
import type { Service } from '../deployment/services.js';
import { readStuckSagas } from '../sagas/saga-list.js';
import { describeStep, isStuck, type StuckSaga, stuckSince } from '../sagas/saga-text.js';
import { listSagaKinds, readSaga, type Saga, type SagaKind } from '../sagas/sagas.js';
import { maskVariableParts } from './cause.js';
import { groupFailures, type Member, type OperatorGroup } from './group.js';

/** A saga that waits for an operator. */
export type Stuck = Member & { readonly saga: StuckSaga };

/** The stuck sagas of an environment. */
export interface StuckSagas {
  /** The largest first. `more` says that more sagas of their type are stuck than were read: some may be of this group. */
  readonly groups: readonly OperatorGroup<Stuck>[];
  /** Those that this release can't read. */
  readonly unreadable: readonly Unreadable[];
}

/** A saga that this release can't read: another release has written it, or an item is no commit. */
interface Unreadable {
  readonly kind: SagaKind;
  readonly id: string;
  readonly why: string;
}

/** Most stuck sagas of one type that are read. */
const MAX_STUCK = 1_000;
/** Name of the error of a stuck saga, which has none. */
const STUCK_ERROR = 'SagaStuck';
/** Sagas that are read at the same time. */
const CONCURRENCY = 20;

/** Describes a stuck saga by its step and reason; failures of its participants are other groups. */
function memberOf(saga: StuckSaga): Stuck {
  const { kind, id, state } = saga;
  const message = `${describeStep(state)}: ${maskVariableParts(state.reason ?? 'no reason was given')}`;
  return {
    id,
    cause: { service: kind.service.name, consumer: kind.consumer.name, error: STUCK_ERROR, message },
    shared: { error: STUCK_ERROR, message, publisher: kind.service.name, type: kind.type },
    trouble: { what: 'stuck saga', reason: state.reason },
    at: stuckSince(saga),
    show: ['sagas', 'show'],
    subject: `${kind.type}/${id}`,
    unknown: false,
    sealed: false,
    saga,
  };
}

/**
 * Reads the stuck sagas of an environment, or of one consumer, and groups them. Their list is eventually consistent, each saga
 * is read strongly consistent. It reads 1,000 sagas of a type at most.
 */
export async function readStuckGroups(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  consumer?: string,
): Promise<StuckSagas> {
  const kinds = listSagaKinds(services).filter((kind) => consumer === undefined || kind.consumer.name === consumer);
  const listed = await Promise.all(kinds.map((kind) => readStuckSagas(documents, kind, MAX_STUCK)));
  const cut = new Set(kinds.filter((_, at) => (listed[at]?.length ?? 0) > MAX_STUCK));
  const asked = listed.flatMap((ofKind) => ofKind.slice(0, MAX_STUCK));
  const read = await mapConcurrently(asked, CONCURRENCY, ({ kind, id }) => readIfReadable(documents, kind, id));
  const stuck = read.filter((one) => 'state' in one).filter(isStuck);
  return {
    groups: groupFailures(stuck.map(memberOf), ({ saga }) => cut.has(saga.kind)),
    unreadable: read.filter((one) => 'why' in one),
  };
}

/** Reads a saga, strongly consistent; says why if this release can't. */
async function readIfReadable(
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

/**
 * Reads a listed saga again, strongly consistent.
 * @returns `undefined` if it isn't stuck for this reason, or since this time, any more. Whatever the operator has found out, or
 * done by hand, was about that time.
 */
export async function stillStuck(documents: DynamoDBDocumentClient, listed: Stuck): Promise<Saga | undefined> {
  const saga = await readIfReadable(documents, listed.saga.kind, listed.id);
  if ('why' in saga || !isStuck(saga)) return undefined;
  const { at, cause } = memberOf(saga);
  return at === listed.at && cause.message === listed.cause.message ? saga : undefined;
}
