import { tableFromEnvironment } from '@orderly/kit/aws';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { onAccountEvent } from './on-account-event.js';

/** Keeps a copy of each account's status, for new payments. */
export const handler = consumer([onAccountEvent(tableFromEnvironment())]);
