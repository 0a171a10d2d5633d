import { commandsTo, subscribe } from '@orderly/kit/messages';
import { catalogContract } from '../catalog/contract.js';
import { ordersContract } from '../orders/contract.js';
import { basketsContract } from './contract.js';

/** Everything that the catalogue tells of its products: each event has the whole product. */
export const productEvents = subscribe(catalogContract, [
  'ProductAdded',
  'ProductRenamed',
  'ProductPriceChanged',
  'ProductDiscontinued',
  'ProductResumed',
]);

/** Pages of a price's rollout, which baskets send to themselves. */
export const rolloutCommands = commandsTo(basketsContract, { from: [basketsContract] });

/** Orders that exist now: some of them were baskets. */
export const placedOrders = subscribe(ordersContract, ['OrderPlaced']);
