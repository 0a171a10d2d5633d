import { defineProblems } from '@orderly/kit/http';

export const OrdersProblem = defineProblems({
  'too-late': { status: 409, title: 'Too late' },
  'not-approved': { status: 409, title: 'Not approved' },
  'not-under-review': { status: 409, title: 'Not under review' },
  'user-blocked': { status: 403, title: 'User blocked' },
});
