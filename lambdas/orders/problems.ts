import { defineProblems } from '@orderly/kit/http';

export const OrdersProblem = defineProblems({
  'too-late': { status: 409, title: 'Too late' },
  'not-under-review': { status: 409, title: 'Not under review' },
  'user-blocked': { status: 403, title: 'User blocked' },
});
