/** The page that says what to do; a path from the root of the repository. */
export const RUNBOOK = 'docs/operations/runbook.md';

/** Names the place in the runbook, for alarms and messages. @param heading of the runbook, word for word */
export const inRunbook = (heading: string): string => `${RUNBOOK}, "${heading}"`;
