import { consumer } from '@orderly/kit/idempotent-consumer';
import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { baskets } from './aggregates.js';
import { type BasketStore, Baskets } from './basket-store.js';
import { placedBaskets } from './on-order-event.js';
import { Products } from './products.js';

const basketStore: BasketStore = stateStoreOfFunction(baskets);

/** Empties baskets that have become orders. */
export const handler = consumer([placedBaskets(new Baskets(basketStore, new Products(basketStore.table.name)))]);
