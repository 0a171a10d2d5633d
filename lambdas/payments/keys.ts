// Names that the stores (run time) and the stack's grants (deploy time) share.

/** Types of the aggregates, with which the partition keys of their items begin. */
export const PAYMENT = 'Payment';
export const PAYER = 'Payer';

/** Beginning of the keys of the items with the hash of a customer's newest payment method (`payers.ts`). */
export const PAYMENT_METHODS = 'METHOD#';

/** Beginning of the partition keys of copies of accounts' statuses. */
export const ACCOUNT_COPIES = 'ACCOUNT#';

/** Beginning of the partition keys of daily counts, in the records table. */
export const DAILY_COUNTS = 'limit#';

/** Beginnings of the keys in the sandbox's own table: answers by the provider's keys, objects, and counts of effects. */
export const SANDBOX_KEYS = 'KEY#';
export const SANDBOX_OBJECTS = 'OBJECT#';
export const SANDBOX_TALLIES = 'TALLY#';
