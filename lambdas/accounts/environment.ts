/** Variables of the accounts' functions. */
export const AccountsEnv = {
  /** Credit limit of a new account, as JSON: `{ "amount": 100000, "currency": "EUR" }`. */
  DEFAULT_CREDIT_LIMIT: 'DEFAULT_CREDIT_LIMIT',
  /** `true` for functions that write `ExhaustedAccountChanged`. */
  TELLS_EXHAUSTION: 'TELLS_EXHAUSTION',
  /** `true` for functions that settle an order when they capture its amount. */
  SETTLES_APPROVED: 'SETTLES_APPROVED',
} as const;
