import type { ReviewRules } from '../../lambdas/orders/contract.js';

/** Rules of reviews for tests that need no particular ones. */
export const REVIEW_RULES: ReviewRules = {
  highValue: 50_000,
  manyOrders: 10,
  otherAddress: false,
  manyDeclines: 3,
  declinesWithinHours: 24,
  methodChangeWithinHours: 24,
};
