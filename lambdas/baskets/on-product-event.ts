import { type Handling, type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { ProductEvent } from '../catalog/contract.js';
import { type Product, productVersionOf } from './domain/product.js';
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
        decide: () => rollout.begin(productOf(event, envelope), envelope.time, trace),
      }),
    }),
    on(rollouts, {
      ContinuePriceRollout: ({ envelope, event: { data }, trace }) => ({
        decide: () => rollout.next(data.sku, { ...data, at: envelope.time }, trace),
      }),
    }),
  ];
}

const productOf = (
  { data: { sku, unitPrice, discontinued } }: ProductEvent,
  position: { readonly epoch: number; readonly sequence: number },
): Product => ({ sku, unitPrice, ...(discontinued ? { discontinued } : {}), version: productVersionOf(position) });
