import type { TransactWriteItem } from '@orderly/kit/aws';
import { decideOn } from '@orderly/kit/event-store';
import type { Decide, Effect, RefusedTransaction } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import type { ReservationStore } from './aggregates.js';
import type { ReservedLine } from './contract.js';
import type { OrderIds, ReservationCommand } from './domain/reservation.js';
import { dispatch, release, reserve } from './stock-counter.js';

/**
 * Tries to reserve all lines. If the counters refuse some, the next attempt rejects the order. It doesn't read the
 * counters first: their refusal, at the moment of the write, is the answer.
 */
export function createReserveDecision(
  store: ReservationStore,
  order: OrderIds,
  ordered: readonly ReservedLine[],
  trace: Trace,
): Decide {
  const lines = ordered.map(({ sku, quantity }) => ({ sku, quantity }));
  const takes = lines.map((line) => ({ sku: line.sku, take: reserve(store.table, line) }));
  return (refused: RefusedTransaction | undefined) => {
    // A line that met a conflict may be short, too: the next attempt tells, and a rejection names every line that is.
    const isWhole = !takes.some(({ take }) => refused?.conflictedOn(take));
    const short = isWhole ? takes.filter(({ take }) => refused?.conditionFailedFor(take)).map(({ sku }) => sku) : [];
    return buildEffect(
      store,
      { type: 'Reserve', ...order, lines, short },
      trace,
      takes.map(({ take }) => take),
    );
  };
}

/** Releases what is reserved; if nothing is reserved yet, it prevents a later reservation. */
export const createReleaseDecision =
  (store: ReservationStore, order: OrderIds, trace: Trace): Decide =>
  () =>
    buildEffect(store, { type: 'Release', ...order }, trace);

/** Takes what is reserved for a dispatched order out of the stock. */
export const createDispatchDecision =
  (store: ReservationStore, orderId: string, trace: Trace): Decide =>
  () =>
    buildEffect(store, { type: 'Dispatch', orderId }, trace);

async function buildEffect(
  store: ReservationStore,
  command: ReservationCommand,
  trace: Trace,
  takes: readonly TransactWriteItem[] = [],
): Promise<Effect> {
  const { events, write } = await decideOn(store, { id: command.orderId, command, trace });
  const [event] = events;
  switch (event?.type) {
    case 'StockReserved':
      return [write, ...takes];
    case 'StockReleased':
      return [write, ...event.data.lines.map((line) => release(store.table, line))];
    case 'StockDispatched':
      return [write, ...event.data.lines.map((line) => dispatch(store.table, line))];
    case 'StockRejected':
    case 'ReservationVoided':
    case 'SagaReplyRequested':
    case undefined:
      return [write];
  }
}
