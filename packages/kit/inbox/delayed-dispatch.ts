import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describeError, logger } from '../aws/telemetry.js';
import { toDispatchBody } from '../timers/contract.js';
import type { ClaimedMessage } from './claimed-message.js';

/** Longest delay of a message. Amazon SQS API Reference, "SendMessage", `DelaySeconds`. */
export const MAX_DELAY_SECONDS = 900;

const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });

/**
 * Hands a message that was put off to the runners at the end of its pause, by their own queue. The sweeper ticks by the
 * minute; the queue keeps a pause to the second. A pause of over 15 minutes is left to the sweeper.
 *
 *     runner A (fence 1)                 queue                       sweeper                  runner B
 *     fails; record: held until T,
 *     swept after T + 5 s
 *     sends (record, fence 1),
 *     delayed by the pause
 *                                        T: delivers -------------------------------------->  take, if fence = 1
 *                                                                                             fence 2, a new lease
 *                                                                    T + 5 s: not due
 *
 * The record is put off first. Sent first, a delayed message could find the runner still at work, and its hand-out would be
 * used up. What may happen in between:
 *
 * - Crash before the send, or a send that fails: the sweeper's first tick after T + 5 s hands the message out, without a
 *   fence. The attempt is counted already, so nothing is lost but that minute. This is why an error is only logged here.
 * - The queue delivers twice, or the delayed message comes after the sweeper's: the fence is 2 by then, so the second one
 *   takes nothing, however short the next pause is. Each attempt sends one delayed message at most, so there is one chain.
 * - A redrive or a discard by an operator meanwhile: the status or the fence is another one, or nobody holds the message.
 */
export async function dispatchLater(
  queue: string,
  { pk, fence, group }: Pick<ClaimedMessage, 'pk' | 'fence' | 'group'>,
  pauseSeconds: number,
): Promise<void> {
  if (pauseSeconds > MAX_DELAY_SECONDS) return;
  try {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queue,
        MessageBody: toDispatchBody({ record: pk, fence }),
        DelaySeconds: pauseSeconds,
        ...(group === '' ? {} : { MessageGroupId: group }),
      }),
    );
  } catch (error) {
    logger.warn('the next attempt is left to the sweeper', { record: pk, ...describeError(error) });
  }
}
