import type { Resource } from '../../assembly/assembly.js';
import { DELIVERY_FAULTS, type FaultKind } from '../../engine/faults.js';
import { Refused } from '../../wire/operation.js';
import { recognisedBy } from '../sqs/fifo-queue.js';
import type { NewTopicMessage } from './message.js';

/** Amazon SNS Developer Guide, "Amazon SNS message deduplication for FIFO topics": the deduplication interval, in milliseconds. */
const RECOGNISED_FOR = 5 * 60_000;

/** No server of a FIFO topic delivers a message twice to a FIFO queue. */
export const IN_ORDER_FAULTS: readonly FaultKind[] = DELIVERY_FAULTS.filter((kind) => /^undeliverable/.test(kind));

/** Answer to the publisher of a message that a topic has taken. */
export interface Published {
  readonly id: string;
  /** Only a FIFO topic gives one. */
  readonly sequenceNumber?: string;
}

/**
 * Memory of a FIFO topic. Amazon SNS Developer Guide, "Amazon SNS message ordering details for FIFO topics", "Amazon SNS message grouping for FIFO
 * topics", "Amazon SNS message deduplication for FIFO topics":
 *
 * - Each message has a group. A FIFO queue gets the messages of a group in the order in which they were published: while one of them can't be
 *   delivered, the others wait.
 * - A message that is published again within five minutes is accepted, and not delivered again.
 *
 * A local cloud that restarts forgets what was published in its last five minutes.
 */
export class FifoTopic {
  private readonly recognised = new Map<string, { readonly published: Published; readonly until: number }>();
  private sequence = 0;
  private readonly isContentBased: boolean;
  private readonly isPerGroup: boolean;

  constructor({ properties }: Resource) {
    this.isContentBased = properties.ContentBasedDeduplication === true;
    this.isPerGroup = properties.FifoThroughputScope === 'MessageGroup';
  }

  /**
   * Recognises a message that was published before.
   * @returns what its publisher got then; nothing for a new one
   * @throws {Refused} for one without a group, or without anything by which it could be recognised
   */
  find(message: NewTopicMessage, now: number): Published | undefined {
    const { group, deduplicationId } = message;
    if (group === undefined) throw invalid('The MessageGroupId parameter is required for FIFO topics');
    if (deduplicationId === undefined && !this.isContentBased)
      throw invalid(
        'The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
      );
    const known = this.recognised.get(this.keyOf(message));
    return known && known.until > now ? known.published : undefined;
  }

  /** Takes a new message. @returns its id with its place in the order */
  take(id: string, message: NewTopicMessage, now: number): Required<Published> {
    const published = { id, sequenceNumber: String(++this.sequence).padStart(20, '0') };
    for (const [key, { until }] of this.recognised) if (until <= now) this.recognised.delete(key);
    this.recognised.set(this.keyOf(message), { published, until: now + RECOGNISED_FOR });
    return published;
  }

  private keyOf({ text, group, deduplicationId }: NewTopicMessage): string {
    return JSON.stringify([recognisedBy(text, deduplicationId), ...(this.isPerGroup ? [group] : [])]);
  }
}

const invalid = (what: string): Refused => new Refused('InvalidParameter', `Invalid parameter: ${what}`, 400);
