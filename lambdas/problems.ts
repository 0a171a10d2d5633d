import { defineProblems } from '@orderly/kit/http';

/** Problems of more than one service; the others are in the service's own `problems.ts`. */
export const AppProblem = defineProblems({
  'limit-reached': { status: 429, title: 'Limit reached' },
  'account-closed': { status: 409, title: 'Account closed' },
});
