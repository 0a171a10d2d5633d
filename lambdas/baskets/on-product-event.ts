import { type Handling, type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { ProductEvent } from '../catalog/contract.js';
import { type Product, productVersionOf } from './domain/product.js';
import type { PriceRollout } from './price-rollout.js';
import type { Products } from './products.js';
import { productEvents, rollouts } from './subscriptions.js';

/** Handles products' events: keeps the product, and brings a changed price to the baskets that hold it. */
export function productNews(products: Products, rollout: PriceRollout): readonly Source[] {
  const keep = ({ envelope, event }: Message<ProductEvent>): Handling => ({
    decide: async () => {
      // Outside the transaction of the record: the product's version guards it, and a redelivery repeats it.
      await products.learn(productOf(event, envelope));
      return [];
    },
  });
  return [
    on(productEvents, {
      ProductAdded: keep,
      ProductRenamed: keep,
      ProductDiscontinued: keep,
      ProductResumed: keep,
      ProductPriceChanged: ({ envelope, event, trace }) => ({
        decide: async () => {
          // Before the baskets are read: from here on, nobody adds a line at an older price without noticing.
          const product = productOf(event, envelope);
          await products.learn(product);
          const { sku, version: productVersion } = product;
          return rollout.page({ sku, productVersion, page: 1, at: envelope.time }, trace);
        },
      }),
    }),
    on(rollouts, {
      ContinuePriceRollout: ({ envelope, event, trace }) => ({
        decide: () => rollout.page({ ...event.data, at: envelope.time }, trace),
      }),
    }),
  ];
}

const productOf = (
  { data: { sku, unitPrice, discontinued } }: ProductEvent,
  position: { readonly epoch: number; readonly sequence: number },
): Product => ({ sku, unitPrice, ...(discontinued ? { discontinued } : {}), version: productVersionOf(position) });
