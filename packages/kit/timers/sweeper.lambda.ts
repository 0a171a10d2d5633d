import type { Context } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { requireEnv, requireIntegerEnv } from '../aws/read-environment.js';
import { logAndSanitize, publishMetrics } from '../aws/telemetry.js';
import { Sweeper } from './sweeper.js';

const sweeper = new Sweeper({
  table: requireEnv(Env.RECORDS),
  owner: requireEnv(Env.CONSUMER),
  queue: requireEnv(Env.QUEUE_URL),
  intervalSeconds: requireIntegerEnv(Env.RESEND_SECONDS),
});

/** Runs every minute and sends due timers to their owner. */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  try {
    await sweeper.sweep(() => context.getRemainingTimeInMillis());
  } catch (error) {
    throw logAndSanitize('a sweep was not finished', error);
  } finally {
    publishMetrics();
  }
}
