import { run } from '../tools/operator/command-line.js';

/** The operator's command line: `npm run -s orderly -- --help`. */
export const main = (args: readonly string[]): Promise<number> => run(args);
