import type { Decider } from '@orderly/kit/decider';
import type { ReservationEvent, ReservedLine } from '../contract.js';

/**
 * A reservation of one order, folded from its events; its id is the order's. `VOID` is the tombstone of a cancellation
 * or a release that came first. `REJECTED`, `RELEASED` and `DISPATCHED` are final too: one order reserves at most once.
 */
export type Reservation =
  | { readonly status: 'NONE' | 'VOID' | 'RELEASED' }
  | { readonly status: 'REJECTED'; readonly skus: readonly string[] }
  | { readonly status: 'RESERVED' | 'DISPATCHED'; readonly lines: readonly ReservedLine[] };

export type ReservationCommand =
  /** `short`: SKUs of which too few pieces were available at the attempt; empty before the first attempt. */
  | ({
      readonly type: 'Reserve';
      readonly lines: readonly ReservedLine[];
      readonly short: readonly string[];
    } & OrderIds)
  | ({ readonly type: 'Release' } & OrderIds)
  | { readonly type: 'Dispatch'; readonly orderId: string };

export interface OrderIds {
  readonly orderId: string;
  /** Step that waits for an answer; absent if the command comes from an event of the order. */
  readonly stepId?: string;
}

/** A step that contradicts an earlier one. Nothing was changed; asking again gives the same answer. */
export class ReservationRefused extends Error {
  override readonly name = 'ReservationRefused';
  constructor(readonly code: 'LINES_DIFFER') {
    super(code);
  }
}

/**
 * Returns the events that follow: the fact, or the answer to a step that changes nothing. It returns none if no step
 * waits and the reservation has ended or the command was carried out before.
 * @throws {ReservationRefused} if a step names the same order with other lines
 */
function decide(reservation: Reservation, command: ReservationCommand): readonly ReservationEvent[] {
  switch (command.type) {
    case 'Reserve':
      return reserve(reservation, command);
    case 'Release':
      return release(reservation, command);
    case 'Dispatch':
      return dispatch(reservation, command);
  }
}

function reserve(
  reservation: Reservation,
  { lines, short, ...order }: Extract<ReservationCommand, { type: 'Reserve' }>,
): readonly ReservationEvent[] {
  switch (reservation.status) {
    case 'NONE':
      return short.length > 0
        ? [{ type: 'StockRejected', data: { ...toIds(order), reason: 'OUT_OF_STOCK', skus: [...short] } }]
        : [{ type: 'StockReserved', data: { ...toIds(order), lines: [...lines] } }];
    case 'RESERVED':
    case 'DISPATCHED':
      if (!hasSameLines(lines, reservation.lines)) throw new ReservationRefused('LINES_DIFFER');
      return reply(order, { outcome: 'DONE' });
    case 'REJECTED':
      return reply(order, { outcome: 'REFUSED', reason: 'OUT_OF_STOCK', skus: [...reservation.skus] });
    case 'VOID':
    case 'RELEASED':
      return reply(order, { outcome: 'REFUSED', reason: 'RELEASED' });
  }
}

function release(reservation: Reservation, order: OrderIds): readonly ReservationEvent[] {
  switch (reservation.status) {
    case 'NONE':
      return [{ type: 'ReservationVoided', data: toIds(order) }];
    case 'RESERVED':
      return [{ type: 'StockReleased', data: { ...toIds(order), lines: [...reservation.lines] } }];
    case 'VOID':
    case 'REJECTED':
    case 'RELEASED':
    // The pieces have left: nothing is reserved, and nothing comes back.
    case 'DISPATCHED':
      return reply(order, { outcome: 'DONE' });
  }
}

/** Takes what is reserved out of the stock, once. Only an approved order is dispatched, so its lines are reserved by then. */
const dispatch = (
  reservation: Reservation,
  { orderId }: Extract<ReservationCommand, { type: 'Dispatch' }>,
): readonly ReservationEvent[] =>
  reservation.status === 'RESERVED'
    ? [{ type: 'StockDispatched', data: { orderId, lines: [...reservation.lines] } }]
    : [];

const toIds = ({ orderId, stepId }: OrderIds): OrderIds => ({ orderId, ...(stepId === undefined ? {} : { stepId }) });

type Reply = Extract<ReservationEvent, { type: 'SagaReplyRequested' }>['data'];

const reply = ({ orderId, stepId }: OrderIds, what: Omit<Reply, 'orderId' | 'stepId'>): readonly ReservationEvent[] =>
  stepId === undefined ? [] : [{ type: 'SagaReplyRequested', data: { orderId, stepId, ...what } }];

/** Compares lines regardless of their order. */
const hasSameLines = (some: readonly ReservedLine[], others: readonly ReservedLine[]): boolean =>
  some.length === others.length &&
  some.every(({ sku, quantity }) => others.some((other) => other.sku === sku && other.quantity === quantity));

/** Folds an event into a state. It is total: it accepts any event in any state. */
function evolve(reservation: Reservation, event: ReservationEvent): Reservation {
  switch (event.type) {
    case 'StockReserved':
      return { status: 'RESERVED', lines: event.data.lines };
    case 'StockRejected':
      return { status: 'REJECTED', skus: event.data.skus };
    case 'StockReleased':
      return { status: 'RELEASED' };
    case 'StockDispatched':
      return { status: 'DISPATCHED', lines: event.data.lines };
    case 'ReservationVoided':
      return { status: 'VOID' };
    case 'SagaReplyRequested':
      return reservation;
  }
}

/** Rules of a reservation. */
export const reservationDecider: Decider<Reservation, ReservationCommand, ReservationEvent> = {
  initialState: { status: 'NONE' },
  evolve,
  decide,
  stateSchema: 3,
};
