import { consumer } from '@orderly/kit/idempotent-consumer';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { baskets, priceRollouts } from './aggregates.js';
import { type BasketStore, Baskets } from './basket-store.js';
import { onProductEvent } from './on-product-event.js';
import { PriceRollout } from './price-rollout.js';
import { Products } from './products.js';

const basketStore: BasketStore = stateStoreFromEnvironment(baskets);
const products = new Products(basketStore.table.name);
const rollout = new PriceRollout(
  stateStoreFromEnvironment(priceRollouts),
  new Baskets(basketStore, products),
  products,
);

/** Handles products' events, and the pages of prices' rollouts. */
export const handler = consumer(onProductEvent(products, rollout));
