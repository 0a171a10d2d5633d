import { commandTextOf } from '@orderly/kit/operator/definitions';

/** Command that starts the tool, for help and for advice; it can be pasted unchanged. */
export const PROGRAM = 'npm run -s orderly --';

/** Returns a command that can be pasted. */
export const command = commandTextOf(PROGRAM);
