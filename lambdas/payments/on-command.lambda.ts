import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { payments } from './aggregates.js';
import { PaymentRefused } from './domain/payment.js';
import { onCommand } from './on-command.js';

/** Handles steps of an order's saga. */
export const handler = consumer([onCommand(eventStoreFromEnvironment(payments))], {
  isRefusal: (error) => error instanceof PaymentRefused,
});
