/** Shared by the functions that use people's keys, and by their permissions. */

/** Prefix of the keys of people's items. */
export const PERSON_PREFIX = 'PERSON#';
