import type { Fault } from '../../../packages/simulator/aws/faults.js';

/**
 * The faults by which planted bugs were found in singles, by the bug's name; a bug that isn't named here is found without
 * a fault. Only a short cut: where a hint finds nothing any more, the whole search is done.
 */
export const HINTS: Readonly<Record<string, readonly Fault[]>> = {
  "the provider's key is made of the attempt, not of the business id": [
    { point: 'Payments/RequestPayment call 1', kind: 'killed-after' },
  ],
  'the processed record replaces an earlier one': [{ point: 'Inventory/Outbox/Relay call 3', kind: 'very-late' }],
  'entries that the bus refused count as sent': [{ point: 'Orders/Outbox/Relay call 2', kind: 'entry-refused' }],
  'an undoing asks the provider whether it charged, and does not end what it may still charge': [
    { point: 'Payments/OnProvider call 2', kind: 'refused-for-long' },
  ],
  'what is charged after its undoing was asked for is kept': [
    { point: 'Payments/OnProvider call 10', kind: 'refused' },
  ],
  'failures of a batch are not reported': [{ point: 'Orders/OnListProjection call 10', kind: 'refused-for-long' }],
  'the mapping does not ask for failures of single messages': [
    { point: 'Orders/OnListProjection call 10', kind: 'refused-for-long' },
  ],
  'an error is swallowed: what is to be tried again is acknowledged': [
    { point: 'Orders/OnListProjection call 10', kind: 'refused-for-long' },
  ],
  'a list shows whichever version came last': [{ point: 'Orders/OnListProjection call 3', kind: 'very-late' }],
  'a rule target has no dead-letter queue': [
    { point: 'Inventory/Reservations/OrdersEvents delivery 20', kind: 'undeliverable' },
  ],
  'messages become visible again while they are handled': [
    { point: 'Inventory/OnReservations call 2', kind: 'hung-after' },
  ],
  'old rows are deleted as soon as it has switched': [{ point: 'Inventory/OnCommands call 9', kind: 'refused' }],
  'a release that overtakes its reservation leaves nothing behind': [
    { point: 'Inventory/Commands/Queue message 1', kind: 'delayed' },
  ],
  'an order is approved without looking whether it was cancelled meanwhile': [
    { point: 'Orders/Saga/Queue message 4', kind: 'delayed' },
  ],
  'what an alarm waits for is counted when the invocation ends': [
    { point: 'Orders/OnSaga call 33', kind: 'killed-after' },
  ],
  'a consumer shows an event in the version that is read only': [
    { point: 'Orders/RebuildListProjection call 128', kind: 'killed-before' },
  ],
  'a request that was decided before holds up those behind it': [
    { point: 'Inventory/CommandsLane/Writer call 5', kind: 'hung-after' },
  ],
  'the lane does not report what the queue did not take back': [
    { point: 'Inventory/CommandsLane/Writer call 6', kind: 'entry-refused' },
  ],
  'requests that DynamoDB did not store count as stored': [
    { point: 'Inventory/OnCommands call 1', kind: 'entry-refused' },
  ],
};
