import type { StoreOf } from '@orderly/kit/event-store';
import { inventoryContract } from './contract.js';
import { reservationDecider } from './domain/reservation.js';
import { RESERVATION, STOCK_ITEM } from './keys.js';

/** Stock of each SKU, state-stored; the id is the SKU. */
export const stockItems = { aggregate: STOCK_ITEM, contract: inventoryContract };

/** Reservations of orders; the id is the order's. */
export const reservations = { aggregate: RESERVATION, contract: inventoryContract, decider: reservationDecider };
export type ReservationStore = StoreOf<typeof reservations>;
