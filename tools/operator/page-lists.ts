import type { AppList } from '@orderly/console';
import { REASONS, STATUSES, toWord } from '../../lambdas/operations/orders-request.js';

/** Lists that the page shows of Orderly: its orders. */
export const PAGE_LISTS: readonly AppList[] = [
  {
    name: 'orders',
    title: 'Orders',
    about:
      'The orders of a time, the newest first. By default of the last hour; of the last day if you choose a customer, a SKU or an id.',
    read: 'orders',
    rows: 'orders',
    filters: [
      { option: 'status', label: 'Status', choices: STATUSES.map(toWord) },
      { option: 'reason', label: 'Reason', choices: REASONS.map(toWord) },
      { option: 'since', label: 'Since', placeholder: '30m, 1h, 7d' },
      { option: 'customer', label: 'Customer', placeholder: 'alice' },
      { option: 'sku', label: 'SKU', placeholder: 'TEA-1' },
      { option: 'search', label: 'Beginning of an id', placeholder: 'order, request, customer' },
    ],
    columns: [
      { heading: 'Order', field: 'orderId', as: 'order' },
      { heading: 'Customer', field: 'customerId' },
      { heading: 'Status', field: 'status' },
      { heading: 'Reason', field: 'reason' },
      { heading: 'Step', field: 'step' },
      { heading: 'Placed', field: 'placedAt', as: 'time' },
      { heading: 'Decided after', field: 'seconds', as: 'seconds' },
      { heading: 'Total', field: 'total', as: 'money' },
      { heading: 'SKUs', field: 'skus', as: 'list' },
    ],
    counts: [
      { label: 'By status', field: 'counts.statuses', value: 'status', count: 'orders', option: 'status' },
      { label: 'Rejected because of', field: 'counts.reasons', value: 'reason', count: 'orders', option: 'reason' },
    ],
  },
];
