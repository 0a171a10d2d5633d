import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ConsumerDescription } from '@orderly/kit/internal/base/outputs.js';
import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import { readEvent } from '@orderly/kit/internal/messages/contract.js';
import { aggregateKey } from '@orderly/kit/internal/messages/keys.js';
import { type SagaEvent, sagaCommands, sagaEvents } from '@orderly/kit/internal/saga/contract.js';
import { evolve, initialState, type SagaState } from '@orderly/kit/internal/saga/state.js';
import * as z from 'zod/mini';
import { OperatorError } from '../cli/errors.js';
import type { Service } from '../deployment/services.js';
import { readCommits } from '../records/commits.js';

/** A type of sagas, and the consumer that runs them. */
export interface SagaKind {
  /** Type of their aggregate: `CreateOrderSaga`. */
  readonly type: string;
  readonly service: Service;
  readonly consumer: ConsumerDescription;
}

/** A saga, folded from its commits; only its own service interprets its data. */
export interface Saga {
  readonly kind: SagaKind;
  readonly id: string;
  readonly state: SagaState<unknown>;
  /** Oldest first. */
  readonly events: readonly SagaStep[];
}

export interface SagaStep {
  /** Event id. */
  readonly id: string;
  /** Time of the commit. ISO 8601, UTC. */
  readonly at: string;
  readonly event: SagaEvent<unknown>;
}

/** Returns the contract of a service's sagas: their stored events and the commands that they accept. */
export const sagaContract = (service: string) => ({
  service,
  events: sagaEvents<unknown>(z.unknown()),
  commands: sagaCommands,
});

/** Returns all types of sagas in an environment. */
export const listSagaKinds = (services: readonly Service[]): readonly SagaKind[] =>
  services.flatMap((service) =>
    service.consumers.flatMap((consumer) =>
      consumer.saga === undefined ? [] : [{ type: consumer.saga, service, consumer }],
    ),
  );

/** @throws {ContractViolation} for an event of another release */
export function foldSaga(kind: SagaKind, id: string, commits: readonly Commit[]): Saga {
  const contract = sagaContract(kind.service.name);
  const events = commits.flatMap(({ at, events }) =>
    events.map(({ id, type, schemaVersion, data }) => ({
      id,
      at,
      event: readEvent(contract, type, schemaVersion, JSON.parse(data)),
    })),
  );
  const state = events.reduce<SagaState<unknown>>((folded, { event }) => evolve(folded, event), initialState);
  return { kind, id, state, events };
}

/** Reads a saga, strongly consistent; its status is `NONE` if it has not started. */
export const readSaga = async (documents: DynamoDBDocumentClient, kind: SagaKind, id: string): Promise<Saga> =>
  foldSaga(kind, id, await readCommits(documents, kind.service, aggregateKey(kind.type, id)));

/**
 * Finds a saga by id, in any service; `<type>/<id>` is needed if several have that id.
 * @throws {OperatorError} `not-found`, with the command that lists some; `refused` if two types have one with that id
 */
export async function findSaga(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  asked: string,
): Promise<Saga> {
  const all = listSagaKinds(services);
  const named = all.find(({ type }) => asked.startsWith(`${type}/`));
  const id = named ? asked.slice(named.type.length + 1) : asked;
  const read = await Promise.all((named ? [named] : all).map((kind) => readSaga(documents, kind, id)));
  const [saga, other] = read.filter(({ state }) => state.status !== 'NONE');
  if (!saga) throw new OperatorError('not-found', `There is no saga '${asked}'.`, ['sagas', 'list']);
  if (!other) return saga;
  const [one, two] = [saga, other].map(({ kind }) => `${kind.type}/${id}`);
  throw new OperatorError('refused', `Two sagas have the id '${id}', ${one} and ${two}: expected <type>/<id>.`, [
    'sagas',
    'show',
    one ?? id,
  ]);
}
