import { Duration } from 'aws-cdk-lib';
import type { InboxOptions } from '../inbox/inbox.construct.js';
import { exponentialBackoff } from '../inbox/modes.construct.js';

/**
 * Retries of an inbox whose handler sends webhooks: 5 s, 10 s, 20 s and so on up to 6 hours, 24 attempts in three days. The handler ends a
 * delivery by its time (`decideNext`); the number of attempts only bounds one whose function never finishes.
 */
export const WEBHOOK_RETRIES = {
  attempts: 100,
  backoff: exponentialBackoff({ base: Duration.seconds(5), cap: Duration.hours(6) }),
  waitsForOthers: true,
} as const satisfies InboxOptions;
