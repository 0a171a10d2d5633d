import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { priceChecks } from './aggregates.js';
import { confirmPrices } from './confirm-prices.js';
import { readOffers } from './product-store.js';

const priceCheckStore = eventStoreFromEnvironment(priceChecks);

/** Handles steps of an order's saga. */
export const handler = consumer([confirmPrices(priceCheckStore, (skus) => readOffers(priceCheckStore.table, skus))]);
