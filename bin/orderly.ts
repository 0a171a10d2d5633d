import { run } from '../packages/kit/operator/run.js';

/** The operator's command line: `npm run -s orderly -- --help`. */
export const main = (args: readonly string[]): Promise<number> => run(args, { out: console.log, err: console.error });
