// Names that the stores (run time) and the stack's grants (deploy time) share.

/** Types of the aggregates, with which the partition keys of their items begin. */
export const BASKET = 'Basket';
export const CHECKOUT = 'Checkout';
export const PRICE_ROLLOUT = 'PriceRollout';

/** Beginning of the partition keys of the products that the catalogue has told of. */
export const PRODUCTS = 'PRODUCT#';

/** Beginning of the partition keys of the lists that name the baskets that hold a product. */
export const HOLDERS = 'HOLDERS#';
