/** Variables of the accounts' functions. */
export const AccountsEnv = {
  /** Credit limit of a new account, as JSON: `{ "amount": 100000, "currency": "EUR" }`. */
  DEFAULT_CREDIT_LIMIT: 'DEFAULT_CREDIT_LIMIT',
  /** `true` for functions that write `ExhaustedAccountChanged`. */
  TELLS_EXHAUSTION: 'TELLS_EXHAUSTION',
} as const;
