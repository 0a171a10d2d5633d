import type { Context } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { required, requiredInteger } from '../aws/read-environment.js';
import { logged, publishMetrics } from '../aws/telemetry.js';
import { Sweeper } from './sweeper.js';

const sweeper = new Sweeper({
  table: required(Env.RECORDS),
  owner: required(Env.CONSUMER),
  queue: required(Env.QUEUE_URL),
  intervalSeconds: requiredInteger(Env.RESEND_SECONDS),
});

/** Runs every minute and sends due timers to their owner. */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  try {
    await sweeper.sweep(() => context.getRemainingTimeInMillis());
  } catch (error) {
    throw logged('a sweep was not finished', error);
  } finally {
    publishMetrics();
  }
}
