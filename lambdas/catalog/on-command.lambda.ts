import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { priceChecks } from './aggregates.js';
import { confirmPrices } from './confirm-prices.js';
import { offersOf } from './product-store.js';

const priceCheckStore = eventStoreOfFunction(priceChecks);

/** Handles steps of an order's saga. */
export const handler = consumer([confirmPrices(priceCheckStore, (skus) => offersOf(priceCheckStore.table, skus))]);
