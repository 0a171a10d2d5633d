// Names that the stores (run time) and the stack's grants (deploy time) share.

/** Types of the aggregates, with which the partition keys of their items begin. */
export const PRODUCT = 'Product';
export const PRICE_CHECK = 'PriceCheck';

/** Beginning of the partition keys of the index of products, and its only one. */
export const PRODUCT_LISTS = 'PRODUCTS#';
export const ALL_PRODUCTS = `${PRODUCT_LISTS}all`;
