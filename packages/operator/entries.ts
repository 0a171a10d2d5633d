import { fileURLToPath } from 'node:url';

/** Entry points of this package, for `Bundles`: `new Bundles('lambdas', { packages: { operator: operatorEntries } })`. */
export const operatorEntries = fileURLToPath(new URL('./', import.meta.url));
