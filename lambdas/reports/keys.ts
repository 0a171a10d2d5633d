// Names that the store (run time) and the stack's grants (deploy time) share.

/** Beginning of the partition keys of reports. */
export const REPORTS = 'REPORTS#';

/** Beginning of the partition keys of the pages of a day; the day follows. */
export const PAGES = 'PAGES#';
