import {
  aggregateKey,
  type CommandContext,
  foldSaga,
  isHeld,
  isWaiting,
  listSagaKinds,
  readCommits,
  type Saga,
} from '@orderly/operator';
import { CREATE_ORDER_SAGA } from '../orders/keys.js';
import type { PlacedOrder } from './placed-orders.js';

/** Sagas that are read at the same time. */
const CONCURRENCY = 25;

/** Statuses of orders that stand at a step, or were refused at one. */
const WITH_STEP: ReadonlySet<string> = new Set<PlacedOrder['status']>(['PENDING', 'UNDER_REVIEW', 'REJECTED']);

/**
 * Reads at which steps orders stand, or were refused: a query for each of them. An order without a saga yet, and one whose saga can't be read, has no step.
 * @param orders those of a page
 */
export async function readSteps(
  { documents, services }: Pick<CommandContext, 'documents' | 'services'>,
  orders: readonly Pick<PlacedOrder, 'orderId' | 'status'>[],
): Promise<ReadonlyMap<string, string>> {
  const kind = listSagaKinds(services).find(({ type }) => type === CREATE_ORDER_SAGA);
  const steps = new Map<string, string>();
  if (!kind) return steps;
  const open = orders.filter(({ status }) => WITH_STEP.has(status));
  for (let at = 0; at < open.length; at += CONCURRENCY) {
    const reads = open.slice(at, at + CONCURRENCY).map(async ({ orderId }) => {
      try {
        const commits = await readCommits(documents, kind.service, aggregateKey(kind.type, orderId));
        const step = findStep(foldSaga(kind, orderId, commits));
        if (step !== undefined) steps.set(orderId, step);
      } catch (error) {
        // The SDK marks what a call has thrown. Anything else is a saga of another release, which must not hide the list.
        if (error instanceof Error && '$metadata' in error) throw error;
      }
    });
    await Promise.all(reads);
  }
  return steps;
}

/** Returns the step at which a saga waits, or at which it was refused. */
export function findStep({ state }: Pick<Saga, 'state'>): string | undefined {
  if ('ending' in state && state.ending.step !== undefined) return state.ending.step;
  if (!isWaiting(state)) return undefined;
  return isHeld(state) ? state.held : state.waiting.step || undefined;
}
