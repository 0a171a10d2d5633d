import { defineProblems } from '@orderly/kit/http';

export const OrdersProblem = defineProblems({
  'too-late': { status: 409, title: 'Too late' },
  'user-blocked': { status: 403, title: 'User blocked' },
});
