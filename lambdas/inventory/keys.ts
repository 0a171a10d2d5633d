// Names that the stores (run time) and the stack's grants (deploy time) share.

/** Types of the aggregates, with which the partition keys of their items begin. */
export const STOCK_ITEM = 'StockItem';
export const RESERVATION = 'Reservation';
