import { Annotations, Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { recordsPrefix } from '../failures/contract.js';
import type { IdempotentConsumer } from '../idempotent-consumer/idempotent-consumer.construct.js';
import { scheduleSweeper } from './sweeper.construct.js';

export interface TimersProps {
  /** Consumer that sets and clears the timers. Its own queue receives them as messages when they are due. */
  readonly owner: IdempotentConsumer;
  readonly alarmTopic: ITopic;
}

/**
 * Time for which a timer that was sent is left to its owner. If the owner has not processed it by then, it is sent
 * again. A message that was sent is rarely lost, and a message that fails is retried for minutes.
 */
const DISPATCH_INTERVAL = Duration.hours(1);

/**
 * Timers of one consumer (the run time is in the same folder). They are stored in the consumer's records and sent to it
 * when they are due.
 *
 *     owner's commit -> record, in the index "due"
 *     every minute -> sweeper -> owner's queue -> owner: effect, and record PROCESSED
 *
 * A tick carries no data, and the next one comes in a minute. So a failed tick is not kept. An alarm fires if no tick comes at all.
 */
export class Timers extends Construct {
  constructor(scope: Construct, id: string, props: TimersProps) {
    super(scope, id);
    const { owner, alarmTopic } = props;
    const { handler, name, records, queue } = owner;
    this.checkInterval(owner);

    // The owner may already put timers, by its permission on its own records.
    handler.grantItems(records, ['DeleteItem'], recordsPrefix(name));

    scheduleSweeper(this, {
      context: handler.context,
      entry: 'kit/timers/sweeper',
      owner: name,
      records,
      queue,
      interval: DISPATCH_INTERVAL,
      alarmTopic,
    });
  }

  /**
   * Refuses an owner that retries a message for longer than the interval. Otherwise a second copy would join a message
   * that is still being retried, each with attempts of its own.
   */
  private checkInterval({ handler, name, maxRetryTime }: IdempotentConsumer): void {
    const interval = DISPATCH_INTERVAL.toSeconds();
    if (interval >= maxRetryTime.toSeconds()) return;
    Annotations.of(this).addError(
      `the queue of '${name}' retries a message that crashes its handler for ${maxRetryTime.toSeconds()} s (6 x timeout of ${handler.timeout.toSeconds()} s x receives), and a timer is sent again after ${interval} s: take a shorter timeout, or fewer consumerAttempts`,
    );
  }
}
