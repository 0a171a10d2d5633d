import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { payments } from './aggregates.js';
import { PaymentRefused } from './domain/payment.js';
import { onOrderEvent } from './on-order-event.js';

/** Undoes the charges of cancelled orders. */
export const handler = consumer([onOrderEvent(eventStoreFromEnvironment(payments))], {
  isRefusal: (error) => error instanceof PaymentRefused,
});
