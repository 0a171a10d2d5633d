// Names that the stores (run time) and the stack's grants (deploy time) share.

/** Type of the aggregate, with which the partition keys of its items begin. */
export const ACCOUNT = 'Account';

/** Beginning of the partition keys of rows that show accounts. */
export const CREDIT_ROWS = 'CREDIT#';

/** Partition key of the index of accounts without credit, in the first version of the projection. */
export const EXHAUSTED = 'EXHAUSTED#accounts';

/** Beginnings of that key in the first version and in later ones (`EXHAUSTED@2#accounts`). */
export const EXHAUSTED_LISTS = ['EXHAUSTED#', 'EXHAUSTED@'];

/** Name of the projection of accounts without credit, and of its consumer. It never changes. */
export const EXHAUSTED_PROJECTION = 'accounts-exhausted';
