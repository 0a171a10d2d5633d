import { commandFormatter } from '@orderly/operator/definitions';

/** Command that starts the tool, for help and for advice; it can be pasted unchanged. `bin/orderly.mjs` says its own name. */
export const PROGRAM = process.env.ORDERLY_PROGRAM || 'npm run -s orderly --';

/** Returns a command that can be pasted. */
export const command = commandFormatter(PROGRAM);
