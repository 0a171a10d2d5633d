/** Metrics that the functions of webhooks count, beside the kit's. */
export const WebhooksMetric = {
  /** Webhooks that were disabled, because their receiver was unreachable for three days or answered 410. */
  DISABLED: 'WebhooksDisabled',
} as const;
