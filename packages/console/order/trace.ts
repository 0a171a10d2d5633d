import type { Attempt, AttemptCounts } from '@orderly/operator/attempts';

/** A message at one consumer, with the messages that its consumer committed. */
export interface TracedHop {
  readonly consumer: string;
  readonly service: string;
  readonly messageId: string;
  /** `processed`, `pending`, `failed`, `lost`, ... */
  readonly state: string;
  readonly at?: string;
  /** Time at which the consumer's record of the message expires: later, a repetition is refused by its age. */
  readonly expiresAt?: string;
  readonly isStored?: true;
  readonly reason?: string;
  readonly tries?: readonly Attempt[];
  readonly followed: readonly TracedMessage[];
}

/** An event or a command, and what followed from it. */
export interface TracedMessage {
  readonly service: string;
  readonly subject: string;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly at: string;
  /** Id of the message or request that caused it. */
  readonly trigger: string;
  readonly correlationId: string;
  /** Step and its result; only for an event of a saga. */
  readonly details?: string;
  /** Service that handles it; only for a command. */
  readonly to?: string;
  readonly publication?: { readonly state: string; readonly text: string };
  readonly hops: readonly TracedHop[];
  readonly others: readonly TracedMessage[];
}

/** A saga as `orderly order` reports it. */
export interface TracedSaga {
  readonly service: string;
  readonly saga: string;
  readonly id: string;
  readonly status: string;
  readonly step?: string;
  readonly attempt?: number;
  readonly again?: string;
  readonly ending?: { readonly cause: string; readonly step?: string; readonly reason?: string };
  readonly reason?: string;
}

/** Everything that followed from one order, one message or one request: `GET /operations/trace/{id}`, and `orderly trace`. */
export interface Trace {
  readonly id: string;
  readonly verdict: {
    readonly state: 'complete' | 'pending' | 'failed';
    readonly text: string;
    readonly next?: string;
  };
  /** One line: the order with its status, or the id that was asked for. */
  readonly title?: string;
  readonly events: number;
  readonly roots: readonly TracedMessage[];
  readonly sagas?: readonly TracedSaga[];
  /** Number of effects that were found twice. */
  readonly doneTwice?: number;
  readonly attempts?: AttemptCounts & { readonly unread?: string; readonly isPartial?: boolean };
}

/** Returns every message of a trace once, oldest first, with its hops. */
export function listMessages({ roots }: Pick<Trace, 'roots'>): readonly TracedMessage[] {
  const found = new Map<string, TracedMessage>();
  const collect = (message: TracedMessage): void => {
    found.set(message.id, message);
    for (const { followed } of message.hops) followed.forEach(collect);
    message.others.forEach(collect);
  };
  roots.forEach(collect);
  return [...found.values()].toSorted((one, other) => one.at.localeCompare(other.at));
}
