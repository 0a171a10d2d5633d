import { createHash } from 'node:crypto';
import type { Resource } from '../../assembly/assembly.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type FaultPlan, FOLLOWING_FAULTS } from '../../engine/faults.js';
import {
  type AcceptedMessage,
  type Message,
  type MessageFate,
  type Moved,
  type NewMessage,
  Queue,
  type Recognised,
  type SavedQueue,
} from './model.js';
import { invalid, sqsError } from './refusals.js';

/** Amazon SQS, "Exactly-once processing in Amazon SQS": the deduplication interval, in milliseconds. */
const RECOGNISED_FOR = 5 * 60_000;
/** Digits of a sequence number. Amazon SQS API Reference, "SendMessage". */
const DIGITS = 20;

/**
 * A FIFO queue. Amazon SQS Developer Guide, "Amazon SQS FIFO queues", "FIFO queue delivery logic", "Exactly-once processing in Amazon SQS":
 *
 * - Messages of a group are received in their order. As long as one of them is in flight, no other message of its group is received.
 * - A message that is sent again within five minutes is accepted, and not delivered again.
 * - After the visibility timeout, a receipt deletes nothing any more, so the message comes again.
 *
 * No server delivers a message twice or out of its order, so the faults of a standard queue's messages don't happen here. A function that fails, or
 * that takes longer than the visibility timeout, still gets a message again.
 */
export class FifoQueue extends Queue {
  protected override readonly kinds = FOLLOWING_FAULTS;
  /** The oldest first. */
  private readonly recognised = new Map<string, Recognised>();
  private sequence = 0;
  /** Whether the hash of the body recognises a message without an id of its own. */
  contentBased: boolean;
  /** Whether ids are per message group. */
  perGroup: boolean;

  constructor(resource: Resource, world: EventLoop, faults: FaultPlan) {
    super(resource, world, faults);
    const { ContentBasedDeduplication, DeduplicationScope } = resource.properties;
    this.contentBased = ContentBasedDeduplication === true;
    this.perGroup = DeduplicationScope === 'messageGroup';
  }

  override get isFifo(): boolean {
    return true;
  }

  /**
   * Accepts a message. What was received too often in another queue is taken in any case.
   * @throws {Refused} for one without a group, or without anything by which it could be recognised
   */
  override send(message: NewMessage, sentAt = this.world.now, delay = this.settings.delay, moved?: Moved): string {
    if (moved) return super.send(message, sentAt, delay, moved);
    const key = this.keyOf(message);
    const known = this.recognised.get(key);
    if (known && known.until > this.world.now) {
      this.traffic.sent++;
      this.world.note(`${this.label} has ${known.id} already: it was sent again`);
      return known.id;
    }
    const id = super.send(message, sentAt, delay);
    const sequenceNumber = toSequenceNumber(this.sequence);
    this.forget();
    this.recognised.delete(key);
    this.recognised.set(key, { id, sequenceNumber, until: this.world.now + RECOGNISED_FOR });
    return id;
  }

  /** Forgets what is no longer recognised. */
  private forget(): void {
    for (const [key, { until }] of this.recognised) {
      if (until > this.world.now) return;
      this.recognised.delete(key);
    }
  }

  override takeBack(message: NewMessage): string {
    return super.send(message);
  }

  /** Returns the sequence number of a message that was accepted within the last minutes. */
  findSequenceNumber(id: string): string | undefined {
    return [...this.recognised.values()].find((one) => one.id === id)?.sequenceNumber;
  }

  /** A receipt ends with the visibility timeout. */
  override delete(receipt: string): boolean {
    const message = this.findByReceipt(receipt);
    return message !== undefined && message.visibleAt > this.world.now && super.delete(receipt);
  }

  override save(): SavedQueue {
    return { ...super.save(), recognised: [...this.recognised] };
  }

  override resume(saved: SavedQueue): void {
    for (const [key, one] of saved.recognised ?? []) this.recognised.set(key, one);
    super.resume(saved);
    const numbers = saved.messages.map(({ sequenceNumber = '0' }) => Number(sequenceNumber));
    this.sequence = Math.max(this.sequence, saved.sent, ...numbers);
  }

  protected override toEntry(entry: AcceptedMessage): AcceptedMessage {
    this.sequence++;
    return { ...entry, sequenceNumber: toSequenceNumber(this.sequence) };
  }

  /** Returns the messages of groups of which none is in flight, in their order. */
  protected override listReceivable(): readonly Message[] {
    const { now } = this.world;
    const inOrder = [...this.messages.values()].toSorted((one, other) =>
      (one.sequenceNumber ?? '').localeCompare(other.sequenceNumber ?? ''),
    );
    const held = new Set<string | undefined>();
    for (const { group, visibleAt } of inOrder) if (visibleAt > now) held.add(group);
    return inOrder.filter(({ group }) => !held.has(group));
  }

  /** The end of a message lets the next one of its group be received. */
  protected override end(message: Message, fate: MessageFate): void {
    super.end(message, fate);
    this.world.after(0, () => this.tellListeners(), `${this.label}: the next message of a group can be received`);
  }

  private keyOf({ body, group, deduplicationId }: NewMessage): string {
    if (group === undefined)
      throw sqsError('MissingParameter', 'The request must contain the parameter MessageGroupId.');
    if (deduplicationId === undefined && !this.contentBased)
      throw invalid(
        'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
      );
    return JSON.stringify([recognisedBy(body, deduplicationId), ...(this.perGroup ? [group] : [])]);
  }
}

/** Returns the id by which a message is recognised: its own, or the hash of its body. */
export const recognisedBy = (body: string, deduplicationId?: string): string =>
  deduplicationId ?? createHash('sha256').update(body).digest('hex');

const toSequenceNumber = (number: number): string => String(number).padStart(DIGITS, '0');

/** Creates the queue that a resource describes. */
export const createQueue = (resource: Resource, world: EventLoop, faults: FaultPlan): Queue =>
  resource.properties.FifoQueue === true ? new FifoQueue(resource, world, faults) : new Queue(resource, world, faults);
