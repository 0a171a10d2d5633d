import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import { readDedupeWindow, requireEnv, requireIntegerEnv, SettingMissing } from '../aws/read-environment.js';
import { count, describeError, logger, publishMetrics } from '../aws/telemetry.js';
import type { ConsumerOptions } from '../idempotent-consumer/consumer.js';
import type { AnyEvent } from '../messages/contract.js';
import type { Dispatch } from '../timers/contract.js';
import { BatchRunner } from './batch-runner.js';
import type { BatchHandlers, CollectedSource } from './batch-source.js';
import type { InboxSettings } from './contract.js';
import type { InboxSource } from './inbox-source.js';
import { Runner } from './runner.js';
import type { RunnerBase, RunnerBaseOptions } from './runner-base.js';
import { SequentialRunner } from './sequential-runner.js';
import type { Windows } from './windows.js';

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
 *       return handleCommand(reviews, { id: event.data.userId, command: { type: 'Review', report }, trace });
 *     },
 *   }),
 * ]);
 * @param sources subscriptions with their handlers: `[on(subscription, handlers), ...]`
 * @throws {SettingMissing} at start, if the construct did not set a setting that it needs
 */
export function inbox(
  sources: readonly InboxSource[],
  { isRefusal = () => false, personalKeys }: ConsumerOptions = {},
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const options = { ...optionsFromEnvironment(isRefusal), sources, personalKeys };
  if (options.settings.mode === 'batch') throw new SettingMissing('mode batch: expected a handler made by batchInbox');
  return createHandler(options.settings.mode === 'sequential' ? new SequentialRunner(options) : new Runner(options));
}

export interface BatchInboxOptions<Event> extends Pick<ConsumerOptions, 'isRefusal'>, BatchHandlers<Event> {
  /** Windows in which messages are collected, by the times of their events. Never change them. */
  readonly windows: Windows;
}

/**
 * Creates the processing function of an inbox in mode batch. The messages of a window are processed together after it has
 * closed, in pages.
 *
 * - Each message is in exactly one closed window: that of its event's time, or the next open one if it comes late.
 * - The effect of a page and the final status of its messages commit in one transaction. After a crash, the next attempt
 *   begins with the first page whose effect has not committed.
 * - One runner at a time has a window. A window without messages closes, too.
 * @example
 * export const handler = batchInbox([collect(orderEnds)], {
 *   windows: dailyWindows('Europe/Berlin'),
 *   page: ({ messages }, { id }) => ({ decide: async () => [added(id, messages.map(({ event }) => event.data))] }),
 *   close: ({ id, number }) => ({ decide: async () => [published(id, number)] }),
 * });
 */
export function batchInbox<Event extends AnyEvent>(
  sources: readonly CollectedSource<Event>[],
  { windows, page, close, isRefusal = () => false }: BatchInboxOptions<Event>,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  // Pages contain the events of these sources and no others.
  const handlers = { page, close } as unknown as BatchHandlers<AnyEvent>;
  const options = optionsFromEnvironment(isRefusal);
  const { mode } = options.settings;
  if (mode !== 'batch') throw new SettingMissing(`mode ${mode}: expected batch(), or a handler made by inbox`);
  return createHandler(new BatchRunner({ ...options, sources, windows, handlers }));
}

/** Reads what the construct has set. @throws {SettingMissing} */
const optionsFromEnvironment = (isRefusal: (error: unknown) => boolean): Omit<RunnerBaseOptions, 'sources'> => ({
  table: requireEnv(Env.RECORDS),
  consumer: { name: requireEnv(Env.CONSUMER), generation: requireIntegerEnv(Env.CONSUMER_GENERATION) },
  service: requireEnv(Env.SERVICE),
  windowSeconds: readDedupeWindow(),
  settings: JSON.parse(requireEnv(Env.INBOX)) as InboxSettings,
  queue: requireEnv(Env.QUEUE_URL),
  isRefusal,
});

const createHandler =
  (runner: RunnerBase) =>
  async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const dispatches = Records.map(({ body }) => JSON.parse(body) as Dispatch);
    try {
      await runner.runAll(dispatches, () => context.getRemainingTimeInMillis());
    } catch (error) {
      count(Metric.TRANSIENT_FAILURES);
      logger.error('stored messages were not processed', {
        records: dispatches.map(({ record }) => record),
        ...describeError(error),
      });
    } finally {
      publishMetrics();
    }
    // A key that failed is not kept: the sweeper hands its message out again. Otherwise each sweep during an outage would add
    // a copy to those that the queue already repeats.
    return { batchItemFailures: [] };
  };
