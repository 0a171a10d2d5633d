import { defineProblems } from '../../packages/kit/http/errors.js';

export const PaymentsProblem = defineProblems({
  'not-refundable': { status: 409, title: 'Refund exceeds the remaining amount' },
});
