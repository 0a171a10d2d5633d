import { defineProblems } from '@orderly/kit/http';

export const PaymentsProblem = defineProblems({
  'not-refundable': { status: 409, title: 'Refund exceeds the remaining amount' },
});
