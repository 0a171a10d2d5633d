import { APP } from '../../lambdas/app.js';

/** Names a place in the runbook. @param heading of the runbook, word for word */
export const inRunbook = (heading: string): string => `${APP.runbook}, "${heading}"`;
