import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Id of the mutant that is active; empty for none. */
    readonly mutant: string;
  }
}

/** Times that a mutant is reached, after which it is taken for an endless loop. */
const REACHED_AT_MOST = 200_000;

// Switches of Stryker's instrumenter read this object. It is set before any source is loaded, so that constants of modules are
// mutated too.
Object.assign(globalThis, {
  __stryker__: { activeMutant: inject('mutant'), hitCount: 0, hitLimit: REACHED_AT_MOST },
});
