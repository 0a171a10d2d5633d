import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { aggregateKey, type Commit } from '../../packages/kit/messages/commit.js';
import { readEvent } from '../../packages/kit/messages/contract.js';
import { type SagaEvent, sagaCommands, sagaEvents } from '../../packages/kit/saga/contract.js';
import { evolve, initialState, type SagaState } from '../../packages/kit/saga/state.js';
import type { ConsumerDescription } from '../../packages/kit/service/service-stack.js';
import { readCommits } from './commits.js';
import { OperatorError } from './errors.js';
import type { Service } from './services.js';
import { command } from './text.js';

/** Sagas of one type, and the consumer that leads them. */
export interface SagaKind {
  /** Type of their aggregate: `CreateOrderSaga`. */
  readonly type: string;
  readonly service: Service;
  readonly consumer: ConsumerDescription;
}

/** A saga as its commits tell it; its data is its service's own business. */
export interface Saga {
  readonly kind: SagaKind;
  readonly id: string;
  readonly state: SagaState<unknown>;
  /** Oldest first. */
  readonly events: readonly SagaStep[];
}

export interface SagaStep {
  /** Of its event. */
  readonly id: string;
  /** When it was committed. ISO 8601, UTC. */
  readonly at: string;
  readonly event: SagaEvent<unknown>;
}

/** What each service that leads sagas stores of one, and takes for it. */
export const sagaContractOf = (service: string) => ({
  service,
  events: sagaEvents<unknown>(z.unknown()),
  commands: sagaCommands,
});

/** All sagas that are led in an environment. */
export const sagaKindsOf = (services: readonly Service[]): readonly SagaKind[] =>
  services.flatMap((service) =>
    service.consumers.flatMap((consumer) =>
      consumer.saga === undefined ? [] : [{ type: consumer.saga, service, consumer }],
    ),
  );

/** @throws {ContractViolation} for an event of another release */
export function sagaIn(kind: SagaKind, id: string, commits: readonly Commit[]): Saga {
  const contract = sagaContractOf(kind.service.name);
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

/** As it is now, strongly consistent; of nothing heard of it its status is `NONE`. */
export const readSaga = async (documents: DynamoDBDocumentClient, kind: SagaKind, id: string): Promise<Saga> =>
  sagaIn(kind, id, await readCommits(documents, kind.service, aggregateKey(kind.type, id)));

/**
 * The saga of an id, whichever service leads it; `<type>/<id>` where several do.
 * @throws {OperatorError} `not-found`, with the command that lists some; `refused` where two types have one of that id
 */
export async function findSaga(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  asked: string,
): Promise<Saga> {
  const all = sagaKindsOf(services);
  const named = all.find(({ type }) => asked.startsWith(`${type}/`));
  const id = named ? asked.slice(named.type.length + 1) : asked;
  const read = await Promise.all((named ? [named] : all).map((kind) => readSaga(documents, kind, id)));
  const [saga, other] = read.filter(({ state }) => state.status !== 'NONE');
  if (!saga) throw new OperatorError('not-found', `There is no saga '${asked}'.`, command('sagas', 'list'));
  if (!other) return saga;
  const [one, two] = [saga, other].map(({ kind }) => `${kind.type}/${id}`);
  throw new OperatorError('refused', `There are ${one} and ${two}.`, command('sagas', 'show', one ?? id));
}
