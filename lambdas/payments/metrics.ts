/** Metrics that the payments' functions count, beside the kit's. */
export const PaymentsMetric = { REFUNDS_FAILED: 'RefundsFailed' } as const;
