// Names that the stores (run time) and the stack's grants (deploy time) share.

/** Type of the aggregate, with which the partition keys of its items begin. */
export const USER = 'User';
