import type { TransactWriteItem } from '@orderly/kit/aws';
import { decideOn } from '@orderly/kit/event-store';
import type { Decide, Effect, Refused } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import type { ReservedLine } from './contract.js';
import type { OfAnOrder, ReservationCommand } from './domain/reservation.js';
import { reservationStore } from './reservation-store.js';
import { release, reserve } from './stock-counter.js';

/**
 * Tries to reserve all lines. If the counters refuse some, the next attempt rejects the order. It doesn't read the
 * counters first: their refusal, at the moment of the write, is the answer.
 */
export function reserving(order: OfAnOrder, ordered: readonly ReservedLine[], trace: Trace): Decide {
  const lines = ordered.map(({ sku, quantity }) => ({ sku, quantity }));
  const takes = lines.map((line) => ({ sku: line.sku, take: reserve(line) }));
  return (refused: Refused | undefined) => {
    const short = takes.filter(({ take }) => refused?.because(take)).map(({ sku }) => sku);
    return effectOf(
      { type: 'Reserve', ...order, lines, short },
      trace,
      takes.map(({ take }) => take),
    );
  };
}

/** Releases what is reserved; if nothing is reserved yet, it prevents a later reservation. */
export const releasing =
  (order: OfAnOrder, trace: Trace): Decide =>
  () =>
    effectOf({ type: 'Release', ...order }, trace);

async function effectOf(
  command: ReservationCommand,
  trace: Trace,
  takes: readonly TransactWriteItem[] = [],
): Promise<Effect> {
  const { events, write } = await decideOn(reservationStore, { id: command.orderId, command, trace });
  const [event] = events;
  switch (event?.type) {
    case 'StockReserved':
      return [write, ...takes];
    case 'StockReleased':
      return [write, ...event.data.lines.map(release)];
    case 'StockRejected':
    case 'ReservationVoided':
    case 'SagaReplyRequested':
    case undefined:
      return [write];
  }
}
