/** Kinds of what happens in a live account. */
export const HAPPENING_KINDS = [
  /** A request of a function to AWS or to another host was answered. */
  'call',
  /** A function began, ended or was throttled. */
  'invocation',
  /** A bus (`published`) or a queue took a message, or a message left its queue. */
  'message',
  /** A message was given to a function, or an event to a target; and what became of it. */
  'delivery',
  /** Records of a stream were given to a function, or given up. */
  'record',
  /** Somebody's fault was made. */
  'fault',
  /** A schedule called its targets. */
  'timer',
  /** Time was forwarded, or everything began again. */
  'time',
] as const;
export type HappeningKind = (typeof HAPPENING_KINDS)[number];

/** One thing that happened, as its model knows it. */
export interface Happening {
  readonly kind: HappeningKind;
  /** Path of the construct to which it happened: a function, a queue, a rule. `clock` for time. */
  readonly owner: string;
  /** Identifies the call, invocation, message, delivery or batch; each of its steps has the same one. */
  readonly id: string;
  /**
   * Its outcome: `began`, `applied`, `duplicate`, `refused`, `crashed`, `answer lost`, `postponed`, `done`, `sent`, `deleted`, ...,
   * the error's code for a call.
   */
  readonly outcome?: string;
  /** Kind of the fault that somebody had asked for. */
  readonly fault?: string;
  /** How long it took, in milliseconds by the account's clock. */
  readonly ms?: number;
  /** How often the queue has given the message to a consumer, or the stream a batch to its function, this time included. */
  readonly receiveCount?: number;
  /** The queue's id of a message. */
  readonly messageId?: string;
  /** The invocation in which it happened. */
  readonly invocation?: string;
  /** Operation of a call, or path of the construct that a delivery goes to. */
  readonly target?: string;
  /** Id, type, subject, version and correlation id of a CloudEvents message. */
  readonly eventId?: string;
  readonly type?: string;
  readonly subject?: string;
  readonly version?: number;
  readonly correlationId?: string;
  /** Name and first line of an error. */
  readonly error?: string;
  /** Number of records of a batch. */
  readonly records?: number;
}

/** One thing that happened, with its place in the list. */
export interface Happened extends Happening {
  /** Ascends by one, from 1 on. */
  readonly number: number;
  /** Milliseconds since 1970, by the account's clock. */
  readonly at: number;
}

/** Number of happenings that are remembered. */
const REMEMBERED = 10_000;

/** The newest happenings of a live account, and those who listen to them. */
export class Happenings {
  private readonly ring: Happened[] = [];
  private newest = 0;
  private readonly listeners = new Set<(happened: Happened) => void>();

  /** @param limit number that is remembered. @default 10,000 */
  constructor(private readonly limit = REMEMBERED) {}

  /** Number of the newest one; 0 before the first. */
  get last(): number {
    return this.newest;
  }

  /** Number of the oldest one that is remembered; `last + 1` if there is none. */
  get first(): number {
    return Math.max(1, this.newest - this.limit + 1);
  }

  add(at: number, happening: Happening): void {
    const happened = { number: ++this.newest, at, ...happening };
    this.ring[happened.number % this.limit] = happened;
    for (const listener of this.listeners) listener(happened);
  }

  /** Returns the happenings after a number, oldest first, as far as they are remembered. */
  after(number: number): readonly Happened[] {
    const found: Happened[] = [];
    for (let at = Math.max(number + 1, this.first); at <= this.newest; at++)
      found.push(this.ring[at % this.limit] as Happened);
    return found;
  }

  /** @returns a function that ends this */
  subscribe(listener: (happened: Happened) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Attributes of a message that is a CloudEvent, or an event of EventBridge around one. */
export function readMessageFacts(
  body: string,
): Pick<Happening, 'eventId' | 'type' | 'subject' | 'version' | 'correlationId'> {
  try {
    const parsed = JSON.parse(body) as { readonly detail?: unknown };
    return factsOf(parsed.detail ?? parsed);
  } catch {
    return {}; // no JSON, so it says nothing of itself
  }
}

/** The same for a message that is parsed already. CloudEvents 1.0.2, "Context Attributes"; the correlation id is an extension. */
export function factsOf(message: unknown): ReturnType<typeof readMessageFacts> {
  if (typeof message !== 'object' || message === null) return {};
  const { id, type, subject, sequence, correlationid } = message as Readonly<Record<string, unknown>>;
  return {
    ...(typeof id === 'string' && { eventId: id }),
    ...(typeof type === 'string' && { type }),
    ...(typeof subject === 'string' && { subject }),
    ...(typeof sequence === 'number' && { version: sequence }),
    ...(typeof correlationid === 'string' && { correlationId: correlationid }),
  };
}
