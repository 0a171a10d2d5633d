import type { Context } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { requireEnv, requireIntegerEnv } from '../aws/read-environment.js';
import { logAndSanitize, publishMetrics } from '../aws/telemetry.js';
import { Sweeper } from '../timers/sweeper.js';
import type { InboxSettings } from './contract.js';
import { parkedPartitions } from './measure.js';
import { recordGauges } from './record-gauges.js';

const place = { table: requireEnv(Env.RECORDS), owner: requireEnv(Env.CONSUMER) };
const { pageSize, mode } = JSON.parse(requireEnv(Env.INBOX)) as InboxSettings;
const parked = mode === 'sequential' ? parkedPartitions(place.owner) : [];
const sweeper = new Sweeper({
  ...place,
  queue: requireEnv(Env.QUEUE_URL),
  intervalSeconds: requireIntegerEnv(Env.RESEND_SECONDS),
  sends: 'key',
  pageSize,
  partitions: parked,
});

/** Runs every minute: hands out stored messages that are due, and measures how many wait. */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  try {
    await sweeper.sweep(() => context.getRemainingTimeInMillis());
    await recordGauges({ ...place, parked });
  } catch (error) {
    throw logAndSanitize('a sweep was not finished', error);
  } finally {
    publishMetrics();
  }
}
