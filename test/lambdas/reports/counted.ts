import type { RejectionReason } from '../../../lambdas/orders/contract.js';
import type { CountedEvent } from '../../../lambdas/reports/domain/tally.js';

/** Events as reports count them. */

export const placed = (...skus: readonly string[]): CountedEvent => placedFor(100, 'EUR', ...skus);

export const placedFor = (amount: number, currency: string, ...skus: readonly string[]): CountedEvent => ({
  type: 'OrderPlaced',
  data: {
    orderId: 'o',
    customerId: 'alice',
    lines: [...new Set(skus)].map((sku, at) => ({
      sku,
      quantity: at + 1,
      unitPrice: { amount, currency },
    })),
    total: { amount, currency },
    placedAt: '2026-01-05T10:00:00.000Z',
  },
});

export const approved: CountedEvent = { type: 'OrderApproved', data: { orderId: 'o' } };

export const rejected = (reason: RejectionReason): CountedEvent => ({
  type: 'OrderRejected',
  data: { orderId: 'o', reason, skus: [] },
});

export const cancelled = (underWay: boolean): CountedEvent => ({
  type: 'OrderCancelled',
  data: { orderId: 'o', ...(underWay ? { underWay } : {}) },
});

export const charged = (amount: number, currency: string, fee?: number): CountedEvent => ({
  type: 'PaymentCharged',
  data: {
    paymentId: 'p',
    amount: { amount, currency },
    ...(fee === undefined ? {} : { fee: { amount: fee, currency: 'EUR' } }),
  },
});

export const refunded = (amount: number, currency: string): CountedEvent => ({
  type: 'PaymentRefunded',
  data: { paymentId: 'p', refundId: 'r', amount: { amount, currency } },
});
