/** Variables of the function that places synthetic orders. */
export const SyntheticOrdersEnv = {
  /** Address of the API with its stage, as customers know it. */
  API_URL: 'API_URL',
  /** The order's line, and the issuer of the tokens, as JSON (`SyntheticOrderSource`). */
  SYNTHETIC_ORDER: 'SYNTHETIC_ORDER',
} as const;

/** The line of a synthetic order, and the issuer of its customer's tokens. */
export interface SyntheticOrderSource {
  /** SKU of a product that costs nothing. */
  readonly sku: string;
  readonly currency: string;
  /** Token endpoint of the issuer (RFC 6749, 3.2). */
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Name of the SecureString with the client's secret. */
  readonly secretParameter: string;
  readonly audience?: string;
  readonly scope?: string;
}

/**
 * Timeout of a run, in seconds. It is shorter than the time between two runs, so an order that is older than this belongs to a run that
 * has ended.
 */
export const RUN_SECONDS = 180;
