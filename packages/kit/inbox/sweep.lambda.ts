import type { Context } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { required, requiredInteger } from '../aws/read-environment.js';
import { logged, publishMetrics } from '../aws/telemetry.js';
import { Sweeper } from '../timers/sweeper.js';
import type { InboxSettings } from './contract.js';
import { gauges } from './gauges.js';
import { parkedPartitions } from './measure.js';

const place = { table: required(Env.RECORDS), owner: required(Env.CONSUMER) };
const { pageSize, mode } = JSON.parse(required(Env.INBOX)) as InboxSettings;
const parked = mode === 'sequential' ? parkedPartitions(place.owner) : [];
const sweeper = new Sweeper({
  ...place,
  queue: required(Env.QUEUE_URL),
  intervalSeconds: requiredInteger(Env.RESEND_SECONDS),
  sends: 'key',
  pageSize,
  partitions: parked,
});

/** Runs every minute: hands out stored messages that are due, and measures how many wait. */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  try {
    await sweeper.sweep(() => context.getRemainingTimeInMillis());
    await gauges({ ...place, parked });
  } catch (error) {
    throw logged('a sweep was not finished', error);
  } finally {
    publishMetrics();
  }
}
