import { inventoryContract } from './contract.js';
import { reservationDecider } from './domain/reservation.js';
import { RESERVATION } from './keys.js';

/** Reservations of orders; the id is the order's. */
export const reservations = { aggregate: RESERVATION, contract: inventoryContract, decider: reservationDecider };
