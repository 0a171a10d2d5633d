import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { logger } from '@orderly/kit/internal/aws/telemetry.js';
import { PAUSE_LIMITS } from '../consumers/pause-limits.js';
import { readPauses } from '../consumers/pauses.js';
import type { Service } from '../deployment/services.js';

/**
 * Returns for how long the consumer is paused that an operator has paused first: the metric of two alarms. It logs the name of each
 * consumer that may be forgotten. A pause that this release can't read has no time, and counts as none.
 * @param now ISO 8601, UTC
 * @returns seconds; 0 if no consumer is paused
 */
export async function findLongestPause(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  now: string,
): Promise<number> {
  const read = await Promise.all(services.map((service) => readPauses(documents, service)));
  const pauses = read
    .flatMap((ofService) => [...ofService.values()])
    .filter(({ since }) => since !== '')
    .map(({ consumer, since }) => ({ consumer, seconds: secondsBetween(since, now) }));
  for (const { consumer, seconds } of pauses)
    if (seconds >= PAUSE_LIMITS.forgotten) logger.warn('a consumer is paused for long', { consumer, seconds });
  return Math.max(0, ...pauses.map(({ seconds }) => seconds));
}
