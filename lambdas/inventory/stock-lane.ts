import { decideOnNew } from '@orderly/kit/event-store';
import { createLane, type Lane, type LaneDecision, type LaneRequest, type RefusedShare } from '@orderly/kit/lane';
import type { ReservationStore } from './aggregates.js';
import type { InventoryCommand } from './contract.js';
import { allot } from './domain/allotment.js';
import { reserve } from './stock-counter.js';
import { stepCommands } from './subscriptions.js';

type ReserveStock = Extract<InventoryCommand, { type: 'ReserveStock' }>;

/**
 * Returns the lane for hot SKUs: reservations of one line. An order with several SKUs takes a plain transaction, and so does
 * a release, which does not name its SKUs.
 */
export const stockLane = (store: ReservationStore): Lane =>
  createLane(stepCommands, 'ReserveStock', {
    keyOf: ({ lines }) => (lines.length === 1 ? lines[0]?.sku : undefined),
    decide: (requests, refused) => reserveAll(store, requests, refused),
  });

/**
 * Reserves for many orders at once: their reservations, and the counter once for all of them. The first attempt assumes
 * that enough pieces are available. If the counter refuses, what it was then decides who gets pieces.
 */
function reserveAll(
  store: ReservationStore,
  requests: readonly LaneRequest<ReserveStock>[],
  refused: RefusedShare | undefined,
): LaneDecision {
  const quantities = requests.map(({ command }) => command.data.lines[0]?.quantity ?? 0);
  const available = refused ? readAvailable(refused) : Number.POSITIVE_INFINITY;
  const granted = allot(quantities, available);
  const sum = quantities.reduce((total, quantity, at) => total + (granted[at] ? quantity : 0), 0);
  const sku = requests[0]?.command.data.lines[0]?.sku;
  return {
    ...(sku !== undefined && sum > 0 ? { shared: reserve(store.table, { sku, quantity: sum }) } : {}),
    effects: requests.map((request, at) => [buildReservationWrite(store, request, granted[at] ?? false)]),
  };
}

/** Returns the first commit of a reservation. It is refused if the order has a reservation, or was released, before. */
function buildReservationWrite(
  store: ReservationStore,
  { command: { data }, trace }: LaneRequest<ReserveStock>,
  isGranted: boolean,
) {
  const { lines, ...order } = data;
  const short = isGranted ? [] : lines.map(({ sku }) => sku);
  const command = { type: 'Reserve', ...order, lines, short } as const;
  return decideOnNew(store, { id: order.orderId, command, trace }).write;
}

/** A SKU that nobody has set has no pieces. */
const readAvailable = ({ found }: RefusedShare): number => Number(found?.available ?? 0);
