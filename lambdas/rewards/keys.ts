// Names that the store (run time) and the stack's grants (deploy time) share.

/** Beginning of the partition keys of customers' rewards. */
export const REWARDS = 'REWARDS#';

/** Beginning of the sort keys of entries; the position of the account's event follows. */
export const ENTRY = 'ENTRY#';
