/** Variables of the payments' functions. */
export const PaymentsEnv = {
  /** The table of Powertools' guard around the provider's calls. */
  GUARD: 'GUARD_TABLE_NAME',
  /** The sandbox provider's own table. */
  SANDBOX: 'SANDBOX_TABLE_NAME',
  /** Name of the parameter that holds Stripe's secret key; never the key. */
  STRIPE_SECRET: 'STRIPE_SECRET_PARAMETER',
} as const;
