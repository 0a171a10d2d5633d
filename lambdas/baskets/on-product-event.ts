import { type Handling, type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import { type Position, toOrdinal } from '@orderly/kit/messages';
import type { ProductEvent } from '../catalog/contract.js';
import type { Product } from './domain/product.js';
import type { PriceRollout } from './price-rollout.js';
import type { Products } from './products.js';
import { productEvents, rolloutCommands } from './subscriptions.js';

/** Handles products' events: keeps the product, and brings a changed price to the baskets that hold it. */
export function onProductEvent(products: Products, rollout: PriceRollout): readonly Source[] {
  const storeProduct = ({ envelope, event }: Message<ProductEvent>): Handling => ({
    decide: async () => [(await products.chooseNewest(toProduct(event, envelope))).write],
  });
  return [
    on(productEvents, {
      ProductAdded: storeProduct,
      ProductRenamed: storeProduct,
      ProductDiscontinued: storeProduct,
      ProductResumed: storeProduct,
      ProductPriceChanged: ({ envelope, event, trace }) => ({
        decide: () => rollout.begin(toProduct(event, envelope), envelope, trace),
      }),
    }),
    on(rolloutCommands, {
      ContinuePriceRollout: ({ envelope, event: { data }, trace }) => ({
        decide: () => rollout.next(data.sku, { ...data, at: envelope.time, epoch: envelope.epoch }, trace),
      }),
    }),
  ];
}

const toProduct = ({ data: { sku, unitPrice, discontinued } }: ProductEvent, position: Position): Product => ({
  sku,
  unitPrice,
  ...(discontinued ? { discontinued } : {}),
  version: toOrdinal(position),
});
