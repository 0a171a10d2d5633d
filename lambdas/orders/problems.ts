import { defineProblems } from '../../packages/kit/http/errors.js';

export const OrdersProblem = defineProblems({
  'too-late': { status: 409, title: 'Too late' },
});
