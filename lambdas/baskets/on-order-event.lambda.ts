import { consumer } from '@orderly/kit/idempotent-consumer';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { baskets } from './aggregates.js';
import { type BasketStore, Baskets } from './basket-store.js';
import { onOrderEvent } from './on-order-event.js';
import { Products } from './products.js';

const basketStore: BasketStore = stateStoreFromEnvironment(baskets);

/** Empties baskets that have become orders. */
export const handler = consumer([onOrderEvent(new Baskets(basketStore, new Products(basketStore.table.name)))]);
