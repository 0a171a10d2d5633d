/** Variables of the orders' functions. */
export const OrdersEnv = {
  /** Functions that start reviews: the rules, as JSON. */
  REVIEW_RULES: 'REVIEW_RULES',
  /** Functions that read or store users' statuses: the setting `userStatuses`, unless it is `apart`. */
  USER_STATUSES: 'USER_STATUSES',
} as const;
