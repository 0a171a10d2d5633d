import { PERSON_PREFIX } from './contract.js';

/** Returns the key of a person's item. */
export const personKey = (person: string): { readonly pk: string } => ({ pk: PERSON_PREFIX + person });
