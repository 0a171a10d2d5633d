import { tableFromEnvironment } from '@orderly/kit/aws';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { onPayerChange } from './on-payer-change.js';
import { onUserChange } from './on-user-change.js';

const table = tableFromEnvironment();

/**
 * Keeps copies of each user's status, for admission and reviews, and of the profile's address and what payments know of the
 * user as a payer, for reviews.
 */
export const handler = consumer([onUserChange(table), onPayerChange(table)]);
