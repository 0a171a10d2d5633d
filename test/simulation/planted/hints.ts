import type { Fault } from '../../simulator/aws/faults.js';

/**
 * The faults by which planted bugs were found in singles, by the bug's name; a bug that isn't named here is found without
 * a fault. Only a short cut: where a hint finds nothing any more, the whole search is done.
 */
export const HINTS: Readonly<Record<string, readonly Fault[]>> = {
  "the provider's key is made of the attempt, not of the business id": [
    { point: 'Payments/RequestPayment call 1', kind: 'killed-after' },
  ],
  'an undoing asks the provider whether it charged, and does not end what it may still charge': [
    { point: 'Payments/OnProvider call 26', kind: 'refused' },
  ],
  'the processed record replaces an earlier one': [{ point: 'Inventory/Outbox/Relay call 3', kind: 'very-late' }],
  'failures of a batch are not reported': [{ point: 'Orders/OnListProjection call 6', kind: 'refused-for-long' }],
  'the mapping does not ask for failures of single messages': [
    { point: 'Orders/OnListProjection call 6', kind: 'refused-for-long' },
  ],
  'entries that the bus refused count as sent': [{ point: 'Orders/Outbox/Relay call 2', kind: 'entry-refused' }],
  'an error is swallowed: what is to be tried again is acknowledged': [
    { point: 'Orders/OnListProjection call 7', kind: 'conflict' },
  ],
  'a list shows whichever version came last': [{ point: 'Orders/OnListProjection call 3', kind: 'late' }],
  'a rule target has no dead-letter queue': [
    { point: 'Inventory/Reservations/OrdersEvents delivery 6', kind: 'undeliverable' },
  ],
  'messages become visible again while they are handled': [
    { point: 'Inventory/OnReservations call 4', kind: 'hung-before' },
  ],
  'old rows are deleted as soon as it has switched': [{ point: 'Orders/OnListProjection call 36', kind: 'very-late' }],
};
