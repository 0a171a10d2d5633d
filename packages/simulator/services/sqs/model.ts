import type { Resource } from '../../assembly/assembly.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type FaultPlan, FOLLOWING_FAULTS, type InvocationTrouble, MESSAGE_FAULTS } from '../../engine/faults.js';
import { readMessageFacts } from '../../engine/happenings.js';

const KINDS = [...MESSAGE_FAULTS, ...FOLLOWING_FAULTS];
/** Number of times that a message brings its fault with it, unless its queue gives it up before. */
const COMES = { 'crashes-its-function': 3, 'throttles-its-function': 1 } as const;

export interface MessageAttribute {
  readonly DataType: string;
  /** Its value, unless it is binary. */
  readonly StringValue?: string;
  /** A binary value, in Base64. */
  readonly BinaryValue?: string;
}

export interface NewMessage {
  readonly body: string;
  /** `MessageGroupId`, the group by which a fair queue separates tenants. @default a group of its own */
  readonly group?: string;
  readonly attributes?: Readonly<Record<string, MessageAttribute>>;
  /** `AWSTraceHeader`, the only system attribute that a sender may set. */
  readonly trace?: string;
  /** `MessageDeduplicationId`, for a FIFO queue. @default the hash of the body, if the queue says so */
  readonly deduplicationId?: string;
}

/** Earlier life of a message that comes to a dead-letter queue. */
export interface Moved {
  readonly id: string;
  /** ARN of the queue in which it was received too often. */
  readonly movedFrom: string;
  /** Number of times that it was received there. */
  readonly receivedBefore: number;
}

/** A message in a queue. */
export interface Message extends NewMessage, Partial<Moved> {
  readonly id: string;
  /** First entry into its first queue, milliseconds: a dead-letter queue counts its retention from that time. */
  readonly sentAt: number;
  /** Number of times that it was received in this queue. */
  receiveCount: number;
  firstReceivedAt: number | undefined;
  /** Time of the latest receive, from which the longest visibility timeout counts. */
  receivedAt?: number;
  visibleAt: number;
  receipt: string;
  /**
   * Whether it may be handled twice at once: its consumer changed its visibility, or it is a copy that a fault made.
   */
  loose: boolean;
  /** `SequenceNumber`: place in the order of a FIFO queue. Absent in a standard queue. */
  readonly sequenceNumber?: string;
}

/** A message before it is in a queue. */
export type AcceptedMessage = NewMessage & Partial<Moved> & Pick<Message, 'id' | 'sentAt' | 'sequenceNumber'>;

/** A queue at one time. */
export interface SavedQueue {
  readonly sent: number;
  readonly messages: readonly Message[];
  /** Messages that a FIFO queue recognises, by what it recognises them. */
  readonly recognised?: readonly (readonly [key: string, Recognised])[];
}

/** A message that a FIFO queue has accepted, and doesn't accept again. */
export interface Recognised {
  readonly id: string;
  readonly sequenceNumber: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Outcome of a message that has left its queue. */
export type MessageFate = 'deleted' | 'dead-lettered' | 'expired' | 'purged';

/** Settings of a queue that may change while it exists; times are in seconds. */
export interface QueueSettings {
  readonly visibility: number;
  readonly retention: number;
  readonly delay: number;
  /** How long a request for messages waits for one, if it doesn't say. */
  readonly wait: number;
  /** Largest message with its attributes, in bytes. */
  readonly size: number;
}

/** Amazon SQS, "Amazon SQS message quotas": the largest message, and the largest batch, in bytes. */
export const MAX_BYTES = 1_048_576;

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
  /** The last part of its address. */
  readonly name: string;
  private current: QueueSettings;
  protected readonly messages = new Map<string, Message>();
  private readonly listeners = new Set<() => void>();
  private maxReceives: number;
  private deadLetters: Queue | undefined;
  private sent = 0;
  private receipts = 0;
  /**
   * Requests that its senders and its consumer pay for: messages that were sent, those of them with a message group, and receives
   * that got messages. Each receive of Lambda is followed by one deletion of its batch.
   */
  readonly traffic = { sent: 0, grouped: 0, receives: 0 };
  /** Messages that an invocation is handling right now. */
  readonly handled = new Set<string>();
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  changedAt: number;
  /** Time at which a caller purged it last. */
  purgedAt: number | undefined;
  /** Messages that left the queue, with their outcome: for invariants. */
  readonly fates: { readonly message: Message; readonly fate: MessageFate; readonly at: number }[];

  /** Faults that messages bring with them, by the messages' ids. */
  private readonly following = new Map<string, (typeof FOLLOWING_FAULTS)[number]>();

  /** Faults that may happen to its messages. */
  protected readonly kinds: readonly ((typeof MESSAGE_FAULTS)[number] | (typeof FOLLOWING_FAULTS)[number])[] = KINDS;

  constructor(
    readonly resource: Resource,
    protected readonly world: EventLoop,
    private readonly faults: FaultPlan,
  ) {
    const { properties, ref } = resource;
    this.name = ref.split('/').at(-1) ?? '';
    this.current = {
      visibility: Number(properties.VisibilityTimeout ?? 30),
      retention: Number(properties.MessageRetentionPeriod ?? 345_600),
      delay: Number(properties.DelaySeconds ?? 0),
      wait: Number(properties.ReceiveMessageWaitTimeSeconds ?? 0),
      size: Number(properties.MaximumMessageSize ?? MAX_BYTES),
    };
    this.createdAt = world.now;
    this.changedAt = world.now;
    const { maxReceiveCount } = (properties.RedrivePolicy ?? {}) as { maxReceiveCount?: number };
    this.fates = world.evidence();
    this.maxReceives = maxReceiveCount ?? Number.POSITIVE_INFINITY;
  }

  get label(): string {
    return this.resource.label;
  }

  get isFifo(): boolean {
    return false;
  }

  /** ARN of the dead-letter queue that `RedrivePolicy` names. */
  get deadLetterTargetArn(): string | undefined {
    return (this.resource.properties.RedrivePolicy as { deadLetterTargetArn?: string } | undefined)
      ?.deadLetterTargetArn;
  }

  /** @param maxReceives after which a message moves there. @default as in the template */
  connect(deadLetters: Queue | undefined, maxReceives = this.maxReceives): void {
    this.deadLetters = deadLetters;
    this.maxReceives = maxReceives;
  }

  /** Where a message goes that was received too often, and after how many times. */
  get redrive(): { readonly to: Queue; readonly maxReceives: number } | undefined {
    return this.deadLetters && { to: this.deadLetters, maxReceives: this.maxReceives };
  }

  /** Its time, milliseconds since 1970. */
  get now(): number {
    return this.world.now;
  }

  get settings(): QueueSettings {
    return this.current;
  }

  /** Changes settings: for messages that are sent or received from now on, except the retention. */
  configure(settings: Partial<QueueSettings>): void {
    this.current = { ...this.current, ...settings };
    this.changedAt = this.world.now;
  }

  /**
   * @param listener called whenever a message may have become visible
   * @returns a function that ends this
   */
  onVisible(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * @param delay seconds until it can be received. @default the queue's
   * @param moved what a message keeps that was received too often in another queue
   */
  send(message: NewMessage, sentAt = this.world.now, delay = this.current.delay, moved?: Moved): string {
    const { world, label } = this;
    const number = ++this.sent;
    this.traffic.sent++;
    if (message.group !== undefined) this.traffic.grouped++;
    const fault = this.faults.faultAt({ id: `${label} message ${number}`, kinds: this.kinds });
    const id = moved?.id ?? `${label.replaceAll('/', '-')}-${number}`;
    const entry = this.toEntry({ ...message, ...moved, id, sentAt });
    world.note(`${label} message ${number} sent${fault ? ` FAULT ${fault}` : ''}`);
    this.tell(entry, fault === 'lost' ? 'lost' : 'sent', fault);
    if (fault === 'lost') return id;
    if (fault === 'crashes-its-function' || fault === 'throttles-its-function') this.following.set(id, fault);
    this.put(entry, (delay + (fault === 'delayed' ? 600 : 0)) * SECOND);
    if (fault === 'duplicate' || fault === 'late-duplicate') {
      const latest = fault === 'duplicate' ? 90 * SECOND : 5 * 86_400 * SECOND;
      const after = Math.min(latest, 0.9 * (this.current.retention * SECOND));
      // Redelivers the same message: one of the servers that store it had missed its deletion.
      const again = (): void => {
        world.note(`${label} message ${number} comes again`);
        this.tell(entry, 'comes again', fault);
        this.put(entry, 0, true);
      };
      world.after(after, again, `${label}: a message that was delivered comes again`);
    }
    return id;
  }

  /** Takes a message of a dead-letter queue again, whatever it has accepted before. */
  takeBack(message: NewMessage): string {
    return this.send(message);
  }

  /** Returns the trouble that one of these messages brings to the invocation that gets them. */
  findTrouble(messages: readonly Message[]): InvocationTrouble | undefined {
    const kinds = messages.flatMap(({ id, receiveCount }) => {
      const kind = this.following.get(id);
      return kind && receiveCount <= Math.min(COMES[kind], this.maxReceives - 1) ? [kind] : [];
    });
    if (kinds.includes('crashes-its-function')) return 'crashes';
    return kinds.length > 0 ? 'writes are throttled' : undefined;
  }

  /**
   * @param visibility seconds for which the messages are hidden then. @default the queue's
   * @returns at most `limit` visible messages, in any order; a message that was received too often moves to the
   *   dead-letter queue
   */
  receive(limit: number, visibility = this.current.visibility): readonly Message[] {
    const { world } = this;
    this.expire();
    const received: Message[] = [];
    for (const message of this.listReceivable()) {
      if (received.length === limit) break;
      message.receiveCount++;
      if (message.receiveCount > this.maxReceives && this.deadLetters) {
        this.end(message, 'dead-lettered');
        const { id, sentAt, receiveCount } = message;
        const moved = { id, movedFrom: this.resource.arn, receivedBefore: receiveCount - 1 };
        this.deadLetters.send(toNewMessage(message), sentAt, undefined, moved);
        continue;
      }
      message.firstReceivedAt ??= world.now;
      message.receivedAt = world.now;
      message.receipt = `${message.id}~${++this.receipts}`;
      this.hide(message, visibility * SECOND);
      received.push({ ...message });
    }
    if (received.length > 0) this.traffic.receives++;
    return received;
  }

  /** Deletes the message of this receipt; an old receipt deletes nothing after a newer one was issued. */
  delete(receipt: string): boolean {
    const message = this.messages.get(receipt.slice(0, receipt.lastIndexOf('~')));
    if (message?.receipt !== receipt) return false;
    this.end(message, 'deleted');
    return true;
  }

  /** Returns the message of a receipt, also of an older one. */
  findByReceipt(receipt: string): Message | undefined {
    const message = this.messages.get(receipt.slice(0, receipt.lastIndexOf('~')));
    return message && message.receiveCount > 0 ? message : undefined;
  }

  /**
   * An older receipt counts, too, and so does that of a message which has become visible again.
   * @param milliseconds from now on
   * @returns whether the message is there
   */
  changeVisibility(receipt: string, milliseconds: number): boolean {
    const message = this.findByReceipt(receipt);
    if (!message) return false;
    message.loose = true;
    this.hide(message, milliseconds);
    return true;
  }

  /**
   * Returns messages and the number of those that were sent, for another time of this queue. A message that a function is
   * handling is visible: the function ends with its account, so nobody has to wait for the visibility timeout.
   */
  save(): SavedQueue {
    const { now } = this.world;
    const messages = this.listMessages().map((one) => (this.handled.has(one.id) ? { ...one, visibleAt: now } : one));
    return { sent: this.sent, messages };
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

  /** Deletes all messages. */
  purge(): void {
    for (const message of this.messages.values()) this.end(message, 'purged');
  }

  /** All messages, visible or not. */
  listMessages(): readonly Message[] {
    this.expire();
    return [...this.messages.values()];
  }

  /** Numbers of messages by what can be done with them now. */
  get counts(): { readonly visible: number; readonly inFlight: number; readonly delayed: number } {
    const messages = this.listMessages();
    const hidden = messages.filter(({ visibleAt }) => visibleAt > this.world.now);
    const delayed = hidden.filter(({ receiveCount }) => receiveCount === 0).length;
    return { visible: messages.length - hidden.length, inFlight: hidden.length - delayed, delayed };
  }

  /** Returns a message as the queue keeps it. */
  protected toEntry(entry: AcceptedMessage): AcceptedMessage {
    return entry;
  }

  /** Returns the visible messages in the order in which they are received. */
  protected listReceivable(): readonly Message[] {
    const { world } = this;
    const visible = [...this.messages.values()].filter(({ visibleAt }) => visibleAt <= world.now);
    return this.fairly(world.random.shuffle(visible));
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

  private put(message: AcceptedMessage, delay: number, loose = false): void {
    const entry = { ...message, receiveCount: 0, firstReceivedAt: undefined, visibleAt: 0, receipt: '', loose };
    this.messages.set(message.id, entry);
    this.hide(entry, delay);
  }

  private hide(message: Message, milliseconds: number): void {
    message.visibleAt = this.world.now + milliseconds;
    const { id, visibleAt: until } = message;
    // It knows the id only: a message that is deleted long before must not be kept in memory for so long.
    const appear = (): void => {
      if (this.messages.get(id)?.visibleAt === until) this.tellListeners();
    };
    this.world.after(milliseconds, appear, `${this.resource.label}: a message becomes visible`);
  }

  protected tellListeners(): void {
    for (const listener of this.listeners) listener();
  }

  private expire(): void {
    for (const message of this.messages.values()) {
      if (message.sentAt + this.current.retention * SECOND <= this.world.now) this.end(message, 'expired');
    }
  }

  protected end(message: Message, fate: MessageFate): void {
    this.messages.delete(message.id);
    this.fates.push({ message, fate, at: this.world.now });
    this.world.note(`${message.id} ${fate}`);
    this.tell(message, fate);
  }

  private tell({ id, body }: Pick<Message, 'id' | 'body'>, outcome: string, fault?: string): void {
    const { label } = this;
    this.world.tell(() => ({
      kind: 'message',
      owner: label,
      id,
      messageId: id,
      outcome,
      ...(fault !== undefined && { fault }),
      ...readMessageFacts(body),
    }));
  }
}

/** Returns what a sender gave a message. */
export const toNewMessage = ({ body, group, attributes, trace, deduplicationId }: NewMessage): NewMessage => ({
  body,
  ...(group && { group }),
  ...(deduplicationId && { deduplicationId }),
  ...(attributes && { attributes }),
  ...(trace && { trace }),
});
