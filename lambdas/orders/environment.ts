/** Variables of the orders' functions. */
export const OrdersEnv = {
  /** Functions that start reviews: the rules, as JSON. */
  REVIEW_RULES: 'REVIEW_RULES',
} as const;
