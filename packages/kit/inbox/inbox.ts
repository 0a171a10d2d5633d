import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { required, requiredInteger } from '../aws/read-environment.js';
import { describeError, logger, publishMetrics } from '../aws/telemetry.js';
import type { ConsumerOptions } from '../idempotent-consumer/consumer.js';
import type { HandOut, InboxSettings } from './contract.js';
import type { InboxSource } from './listening.js';
import { Runner, type RunnerOptions } from './runner.js';
import { SequentialRunner } from './sequential-runner.js';

/**
 * Creates the processing function of an inbox. Its messages were stored and acknowledged before, by another function: so
 * a handler may take minutes, and delays no delivery.
 *
 * - The effect that a handler returns and the final status of its message commit in one transaction.
 * - One runner at a time works on a message. A runner that lost its lease can commit nothing.
 * - A failed attempt is repeated after a pause; the last one becomes a failure record.
 * @example
 * export const handler = inbox([
 *   on(suspicions, {
 *     UserSuspected: async ({ event, trace }, work) => {
 *       const report = await agency.ask(event.data.userId, { key: work.idempotencyKey('report'), signal: work.signal });
 *       return commandOn(reviews, { id: event.data.userId, command: { type: 'Review', report }, trace });
 *     },
 *   }),
 * ]);
 * @param sources subscriptions with their handlers: `[on(subscription, handlers), ...]`
 * @throws {SettingMissing} at start, if the construct did not set a setting that it needs
 */
export function inbox(
  sources: readonly InboxSource[],
  { isRefusal = () => false }: ConsumerOptions = {},
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const settings = JSON.parse(required(Env.INBOX)) as InboxSettings;
  const options: RunnerOptions = {
    table: required(Env.RECORDS),
    consumer: { name: required(Env.CONSUMER), generation: requiredInteger(Env.CONSUMER_GENERATION) },
    service: required(Env.SERVICE),
    windowSeconds: requiredInteger(Env.DEDUPE_WINDOW_SECONDS),
    settings,
    sources,
    isRefusal,
  };
  const runner = settings.mode === 'sequential' ? new SequentialRunner(options) : new Runner(options);
  return async ({ Records }, context) => {
    const unfinished: string[] = [];
    for (const { body, messageId } of Records) {
      const { record } = JSON.parse(body) as HandOut;
      try {
        await runner.run(record, () => context.getRemainingTimeInMillis());
      } catch (error) {
        logger.error('a stored message was not processed', { record, ...describeError(error) });
        unfinished.push(messageId);
      }
    }
    publishMetrics();
    return { batchItemFailures: unfinished.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}
