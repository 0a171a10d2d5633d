import type { ReservationEvent, ReservedLine } from '../contract.js';

/**
 * What is kept for one order, folded from its events; its id is the order's. `VOID` is the tombstone of a cancellation
 * that came first, `REJECTED` and `RELEASED` are final too: one order reserves at most once.
 */
export type Reservation =
  | { readonly status: 'NONE' | 'VOID' | 'REJECTED' | 'RELEASED' }
  | { readonly status: 'RESERVED'; readonly lines: readonly ReservedLine[] };

export type ReservationCommand =
  /** `short`: SKUs of which too few were there when it was tried; none before the first try. */
  | {
      readonly type: 'Reserve';
      readonly orderId: string;
      readonly lines: readonly ReservedLine[];
      readonly short: readonly string[];
    }
  | { readonly type: 'Release'; readonly orderId: string };

export const initialState: Reservation = { status: 'NONE' };

/** Which events follow; none where the reservation has ended, or this was carried out before. Nothing is refused. */
export function decide(reservation: Reservation, command: ReservationCommand): readonly ReservationEvent[] {
  const { orderId } = command;
  switch (command.type) {
    case 'Reserve':
      if (reservation.status !== 'NONE') return [];
      return command.short.length > 0
        ? [{ type: 'StockRejected', data: { orderId, reason: 'OUT_OF_STOCK', skus: [...command.short] } }]
        : [{ type: 'StockReserved', data: { orderId, lines: [...command.lines] } }];
    case 'Release':
      if (reservation.status === 'NONE') return [{ type: 'ReservationVoided', data: { orderId } }];
      return reservation.status === 'RESERVED'
        ? [{ type: 'StockReleased', data: { orderId, lines: [...reservation.lines] } }]
        : [];
  }
}

/** Total: any event in any state. */
export function evolve(_: Reservation, event: ReservationEvent): Reservation {
  switch (event.type) {
    case 'StockReserved':
      return { status: 'RESERVED', lines: event.data.lines };
    case 'StockRejected':
      return { status: 'REJECTED' };
    case 'StockReleased':
      return { status: 'RELEASED' };
    case 'ReservationVoided':
      return { status: 'VOID' };
  }
}
