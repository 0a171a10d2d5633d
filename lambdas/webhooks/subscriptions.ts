import { subscribe, subscribeToAll } from '@orderly/kit/messages';
import { ordersContract } from '../orders/contract.js';
import { usersContract } from '../users/contract.js';
import { deliveryContract } from './delivery-contract.js';
import { feedContract } from './feed-contract.js';

/** All events of orders: those that are not offered take places in the sequence, too. */
export const orderEvents = subscribeToAll(ordersContract);

/** Events after which a customer's webhooks end. */
export const userErasures = subscribe(usersContract, ['UserForgotten']);

/** Deliveries in any order. */
export const dueDeliveries = subscribe(deliveryContract, ['DeliveryDue']);

/** Deliveries in the order of their order's events. */
export const orderedDeliveries = subscribeToAll(feedContract);
