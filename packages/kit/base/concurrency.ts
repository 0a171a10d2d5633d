import type { EnvironmentSettings } from './settings.js';

type Concurrency = Pick<EnvironmentSettings, 'concurrency'>;

/**
 * Lowest maximum concurrency that AWS accepts for a queue's function. AWS Lambda, "Configuring scaling behavior for SQS event source
 * mappings".
 */
export const LEAST_QUEUE_CONCURRENCY = 2;

/** Whether functions of the environment reserve concurrency. */
export const reservesConcurrency = ({ concurrency }: Concurrency): boolean => typeof concurrency === 'number';

/**
 * Returns the batches of one queue that are processed at once: in a small account the fewest that AWS accepts, so that one
 * consumer's backlog leaves executions to the API and to the others.
 */
export const queueConcurrency = ({ concurrency }: Concurrency, wanted: number): number =>
  concurrency === 'small' ? LEAST_QUEUE_CONCURRENCY : wanted;

/** Returns the batches of one shard of a stream that are processed at once: one in a small account. */
export const shardConcurrency = ({ concurrency }: Concurrency, wanted: number): number =>
  concurrency === 'small' ? 1 : wanted;
