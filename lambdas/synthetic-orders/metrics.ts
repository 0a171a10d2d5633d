/** Metrics of the synthetic orders. */
export const SyntheticOrdersMetric = {
  /** Runs whose order was approved in time, and cancelled. */
  SUCCEEDED: 'SyntheticOrdersSucceeded',
  FAILED: 'SyntheticOrdersFailed',
  /** Seconds from the request until the order was seen approved, as a customer sees it. */
  DECISION_SECONDS: 'SyntheticOrderDecisionSeconds',
} as const;

/** Service in the function's logs and metrics. */
export const SYNTHETIC_ORDERS = 'synthetic-orders';
