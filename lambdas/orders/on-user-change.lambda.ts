import { tableOfFunction } from '@orderly/kit/aws';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { onUserChange } from './on-user-change.js';

/** Keeps a copy of each user's status, for admission and reviews, and of the profile's address, for reviews. */
export const handler = consumer([onUserChange(tableOfFunction())]);
