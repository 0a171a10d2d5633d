import { createHash } from 'node:crypto';
import type { Resource } from '../assembly/assembly.js';
import type { World } from '../world/world.js';
import { type FaultPlan, MESSAGE_FAULTS } from './faults.js';

export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue: string;
}

export interface NewMessage {
  readonly body: string;
  /** `MessageGroupId`, the group by which a fair queue separates tenants. @default a group of its own */
  readonly group?: string;
  readonly attributes?: Readonly<Record<string, MessageAttribute>>;
}

/** A message in a queue. */
export interface Message extends NewMessage {
  readonly id: string;
  /** First entry into its first queue, milliseconds: a dead-letter queue counts its retention from that time. */
  readonly sentAt: number;
  receiveCount: number;
  firstReceivedAt: number | undefined;
  visibleAt: number;
  receipt: string;
  /**
   * Whether it may be handled twice at once: its consumer changed its visibility, or it is a copy that a fault made.
   */
  loose: boolean;
}

/** A queue at one time. */
export interface SavedQueue {
  readonly sent: number;
  readonly messages: readonly Message[];
}

/** Outcome of a message that has left its queue. */
export type Fate = 'deleted' | 'dead-lettered' | 'expired';

const SECOND = 1000;

/**
 * Share of messages in flight above which a group is noisy: more than 10 percent and at least 30 messages (AWS, "How
 * Amazon SQS fair queues work"). Both numbers are approximate there, so this model uses one and a half times the share.
 */
const NOISY_SHARE = 0.15;
const NOISY_MESSAGES = 45;

/**
 * A standard queue: at-least-once delivery, in any order, fair between message groups. AWS, "Amazon SQS standard
 * queues", "Amazon SQS visibility timeout", "Using dead-letter queues in Amazon SQS", "Amazon SQS message quotas", "How
 * Amazon SQS fair queues work". The model omits two things of the latter, which would both only help quiet groups: the
 * share of processing time (AWS doesn't document the period), and that a group stays noisy until its backlog is
 * consumed.
 */
export class Queue {
  readonly visibility: number;
  private readonly retention: number;
  private readonly delay: number;
  private readonly messages = new Map<string, Message>();
  private readonly listeners: (() => void)[] = [];
  private readonly maxReceives: number;
  private deadLetters: Queue | undefined;
  private sent = 0;
  private receipts = 0;
  /** Messages that an invocation is handling right now. */
  readonly handled = new Set<string>();
  /** Messages that left the queue, with their outcome: for invariants. */
  readonly fates: { readonly message: Message; readonly fate: Fate; readonly at: number }[];

  constructor(
    readonly resource: Resource,
    private readonly world: World,
    private readonly faults: FaultPlan,
  ) {
    const { properties } = resource;
    if (properties.FifoQueue === true) throw new Error(`${resource.label}: FIFO queues aren't modelled`);
    this.visibility = Number(properties.VisibilityTimeout ?? 30) * SECOND;
    this.retention = Number(properties.MessageRetentionPeriod ?? 345_600) * SECOND;
    this.delay = Number(properties.DelaySeconds ?? 0) * SECOND;
    const { maxReceiveCount } = (properties.RedrivePolicy ?? {}) as { maxReceiveCount?: number };
    this.fates = world.records();
    this.maxReceives = maxReceiveCount ?? Number.POSITIVE_INFINITY;
  }

  get label(): string {
    return this.resource.label;
  }

  /** ARN of the dead-letter queue that `RedrivePolicy` names. */
  get redrivesTo(): string | undefined {
    return (this.resource.properties.RedrivePolicy as { deadLetterTargetArn?: string } | undefined)
      ?.deadLetterTargetArn;
  }

  connect(deadLetters: Queue): void {
    this.deadLetters = deadLetters;
  }

  /** @param listener called whenever a message may have become visible */
  onVisible(listener: () => void): void {
    this.listeners.push(listener);
  }

  send(message: NewMessage, sentAt = this.world.now): string {
    const { world, label } = this;
    const number = ++this.sent;
    const fault = this.faults.at({ id: `${label} message ${number}`, kinds: MESSAGE_FAULTS });
    const id = `${label.replaceAll('/', '-')}-${number}`;
    world.note(`${label} message ${number} sent${fault ? ` FAULT ${fault}` : ''}`);
    this.put({ ...message, id, sentAt }, this.delay + (fault === 'delayed' ? 600 * SECOND : 0));
    if (fault === 'duplicate' || fault === 'late-duplicate') {
      const after = Math.min(fault === 'duplicate' ? 90 * SECOND : 5 * 86_400 * SECOND, 0.9 * this.retention);
      // Redelivers the same message: one of the servers that store it had missed its deletion.
      world.after(after, () => {
        world.note(`${label} message ${number} comes again`);
        this.put({ ...message, id, sentAt }, 0, true);
      });
    }
    return id;
  }

  /**
   * @returns at most `limit` visible messages, in any order; a message that was received too often moves to the
   *   dead-letter queue
   */
  receive(limit: number): readonly Message[] {
    const { world } = this;
    this.expire();
    const visible = [...this.messages.values()].filter(({ visibleAt }) => visibleAt <= world.now);
    const received: Message[] = [];
    for (const message of this.fairly(world.random.shuffled(visible))) {
      if (received.length === limit) break;
      message.receiveCount++;
      if (message.receiveCount > this.maxReceives && this.deadLetters) {
        this.end(message, 'dead-lettered');
        const { body, group, attributes, sentAt } = message;
        this.deadLetters.send({ body, ...(group && { group }), ...(attributes && { attributes }) }, sentAt);
        continue;
      }
      message.firstReceivedAt ??= world.now;
      message.receipt = `${message.id}~${++this.receipts}`;
      this.hide(message, this.visibility);
      received.push({ ...message });
    }
    return received;
  }

  /** Deletes the message of this receipt; an old receipt deletes nothing after a newer one was issued. */
  delete(receipt: string): boolean {
    const message = this.messages.get(receipt.slice(0, receipt.lastIndexOf('~')));
    if (message?.receipt !== receipt) return false;
    this.end(message, 'deleted');
    return true;
  }

  /** @param milliseconds from now on. @returns whether the receipt is known */
  changeVisibility(receipt: string, milliseconds: number): boolean {
    const message = this.messages.get(receipt.slice(0, receipt.lastIndexOf('~')));
    if (message?.receipt !== receipt) return false;
    message.loose = true;
    this.hide(message, milliseconds);
    return true;
  }

  /** Messages and the number of those that were sent, for another time of this queue. */
  save(): SavedQueue {
    return { sent: this.sent, messages: this.all() };
  }

  /** Takes messages over from another time of this queue. Whoever handles one has its old receipt no more. */
  resume({ sent, messages }: SavedQueue): void {
    this.sent = Math.max(this.sent, sent);
    for (const message of messages) {
      const entry = { ...message };
      this.messages.set(message.id, entry);
      this.hide(entry, Math.max(0, message.visibleAt - this.world.now));
    }
  }

  /** All messages, visible or not. */
  all(): readonly Message[] {
    this.expire();
    return [...this.messages.values()];
  }

  /** Orders messages: those of quiet groups first, then those of the noisy group with the fewest messages in flight. */
  private fairly(messages: readonly Message[]): readonly Message[] {
    const inFlight = new Map<string, number>();
    let total = 0;
    for (const { group, receiveCount, visibleAt } of this.messages.values()) {
      if (receiveCount === 0 || visibleAt <= this.world.now) continue;
      total++;
      if (group !== undefined) inFlight.set(group, (inFlight.get(group) ?? 0) + 1);
    }
    const noise = ({ group = '' }: Message): number => {
      const own = inFlight.get(group) ?? 0;
      return own >= NOISY_MESSAGES && own > NOISY_SHARE * total ? own : 0;
    };
    return messages.toSorted((one, other) => noise(one) - noise(other));
  }

  private put(message: NewMessage & Pick<Message, 'id' | 'sentAt'>, delay: number, loose = false): void {
    const entry = { ...message, receiveCount: 0, firstReceivedAt: undefined, visibleAt: 0, receipt: '', loose };
    this.messages.set(message.id, entry);
    this.hide(entry, delay);
  }

  private hide(message: Message, milliseconds: number): void {
    message.visibleAt = this.world.now + milliseconds;
    const until = message.visibleAt;
    this.world.after(milliseconds, () => {
      if (this.messages.get(message.id)?.visibleAt !== until) return;
      for (const listener of this.listeners) listener();
    });
  }

  private expire(): void {
    for (const message of this.messages.values()) {
      if (message.sentAt + this.retention <= this.world.now) this.end(message, 'expired');
    }
  }

  private end(message: Message, fate: Fate): void {
    this.messages.delete(message.id);
    this.fates.push({ message, fate, at: this.world.now });
    this.world.note(`${message.id} ${fate}`);
  }
}

export interface BatchEntry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly MessageAttributes?: Readonly<Record<string, MessageAttribute>>;
}

const MAX_ENTRIES = 10;
const MAX_BATCH_BYTES = 1_048_576;

/**
 * AWS, "API Reference: SendMessageBatch": each entry succeeds or fails independently.
 * @returns the answer, or the code with which the whole batch is refused
 */
export function sendBatch(
  queue: Queue,
  entries: readonly BatchEntry[],
  refused: ReadonlyMap<number, string> = new Map(),
): object | string {
  if (entries.length === 0) return 'EmptyBatchRequest';
  if (entries.length > MAX_ENTRIES) return 'TooManyEntriesInBatchRequest';
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) return 'BatchEntryIdsNotDistinct';
  const bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
  if (bytes > MAX_BATCH_BYTES) return 'BatchRequestTooLong';
  const passed = entries.filter((_, at) => !refused.has(at));
  return {
    Successful: passed.map(({ Id, MessageBody: body, MessageGroupId: group, MessageAttributes: attributes }) => ({
      Id,
      MessageId: queue.send({ body, ...(group && { group }), ...(attributes && { attributes }) }),
      MD5OfMessageBody: createHash('md5').update(body).digest('hex'),
    })),
    Failed: entries.flatMap(({ Id }, at) => {
      const Code = refused.get(at);
      return Code === undefined ? [] : [{ Id, Code, SenderFault: false, Message: 'simulated' }];
    }),
  };
}

const bytesOf = ({ MessageBody, MessageAttributes = {} }: BatchEntry): number =>
  Object.entries(MessageAttributes).reduce(
    (sum, [name, { DataType, StringValue }]) => sum + Buffer.byteLength(name + DataType + StringValue),
    Buffer.byteLength(MessageBody),
  );
