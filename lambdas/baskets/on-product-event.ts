import { type Handling, type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import { ordinalOf, type Position } from '@orderly/kit/messages';
import type { ProductEvent } from '../catalog/contract.js';
import type { Product } from './domain/product.js';
import type { PriceRollout } from './price-rollout.js';
import type { Products } from './products.js';
import { productEvents, rollouts } from './subscriptions.js';

/** Handles products' events: keeps the product, and brings a changed price to the baskets that hold it. */
export function productNews(products: Products, rollout: PriceRollout): readonly Source[] {
  const keep = ({ envelope, event }: Message<ProductEvent>): Handling => ({
    decide: async () => [(await products.newest(productOf(event, envelope))).write],
  });
  return [
    on(productEvents, {
      ProductAdded: keep,
      ProductRenamed: keep,
      ProductDiscontinued: keep,
      ProductResumed: keep,
      ProductPriceChanged: ({ envelope, event, trace }) => ({
        decide: () => rollout.begin(productOf(event, envelope), envelope, trace),
      }),
    }),
    on(rollouts, {
      ContinuePriceRollout: ({ envelope, event: { data }, trace }) => ({
        decide: () => rollout.next(data.sku, { ...data, at: envelope.time, epoch: envelope.epoch }, trace),
      }),
    }),
  ];
}

const productOf = ({ data: { sku, unitPrice, discontinued } }: ProductEvent, position: Position): Product => ({
  sku,
  unitPrice,
  ...(discontinued ? { discontinued } : {}),
  version: ordinalOf(position),
});
