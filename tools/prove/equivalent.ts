import type { Mutant } from './sample.js';

/** Mutants that change nothing that a test could see, each with the reason. */
export const EQUIVALENT: readonly (Pick<Mutant, 'file' | 'from' | 'to'> & { readonly because: string })[] = [];

/** Returns the declared reason why a mutant is equivalent to its source; nothing if a test is missing. */
export const equivalenceOf = (mutant: Pick<Mutant, 'file' | 'from' | 'to'>): string | undefined =>
  EQUIVALENT.find(({ file, from, to }) => file === mutant.file && from === mutant.from && to === mutant.to)?.because;
