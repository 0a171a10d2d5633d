/** Variables of the accounts' functions. */
export const AccountsEnv = {
  /** What an account is opened with at its customer's first order, as JSON: `{ "amount": 100000, "currency": "EUR" }`. */
  DEFAULT_CREDIT_LIMIT: 'DEFAULT_CREDIT_LIMIT',
} as const;
