import type { ConsumerDescription } from '@orderly/kit/internal/base/outputs.js';
import type { ActiveAlarm } from './metrics.js';

/** A consumer, with what waits for it and what it could not do. */
export interface ConsumerState {
  readonly service: string;
  readonly consumer: string;
  readonly kind: 'consumer' | 'projection' | 'saga' | 'inbox';
  /** Messages that wait: in its queue, put off, and stored in its inbox. */
  readonly pending: number;
  /** Messages that it is handling. */
  readonly inFlight: number;
  /** Age of the oldest message, in seconds; absent where nothing tells it. */
  readonly oldestSeconds?: number;
  readonly failed: number;
  /** Whether more have failed than were counted. */
  readonly moreFailed: boolean;
  /** Messages of an inbox that wait for their predecessors. */
  readonly parked?: number;
  /** For a saga or an inbox: seconds by which the most overdue timer, or stored message, is late. */
  readonly lateSeconds?: number;
  /** For a saga: how many wait for an operator. */
  readonly stuck?: number;
}

/** The relay of a service. */
export interface RelayState {
  readonly service: string;
  /** Age of the commits that it reads, in seconds; absent if it has read none in the last minutes. */
  readonly lagSeconds?: number;
  /** Commits that it could not publish. */
  readonly failed: number;
  readonly moreFailed: boolean;
}

/** A function that hands out what is due. */
export interface SweeperState {
  readonly service: string;
  readonly consumer: string;
  /** Minute of its last invocation, ISO 8601; absent if there was none in the last minutes. */
  readonly lastTick?: string;
}

/** Messages in a dead-letter queue, which a function should have turned into failures. */
export interface DeadLetters {
  readonly queue: string;
  readonly messages: number;
  readonly oldestSeconds?: number;
}

/** The delivery audit that runs by itself. */
export interface AuditState {
  /** Time before which every delivery is judged, ISO 8601; absent if the audit has not run yet. */
  readonly auditedUntil?: string;
  /** Deliveries that it sent again, and whose end it waits for. */
  readonly followed: number;
}

/** State of an environment, read at about one moment. */
export interface StatusFacts {
  /** ISO 8601, by the clock of the environment. */
  readonly now: string;
  readonly consumers: readonly ConsumerState[];
  readonly relays: readonly RelayState[];
  readonly sweepers: readonly SweeperState[];
  /** Number of dead-letter queues, and those that aren't empty. */
  readonly deadLetters: { readonly queues: number; readonly filled: readonly DeadLetters[] };
  /** Absent where no audit is deployed. */
  readonly audit?: AuditState;
  /** Absent if they could not be read. */
  readonly alarms?: { readonly total: number; readonly active: readonly ActiveAlarm[] };
  /** Sources that could not be read, with the reason: `alarms (AccessDenied)`. */
  readonly unread: readonly string[];
  /** Names of stacks that should be there, and are not: nothing of them is read. @default none */
  readonly missingStacks?: readonly string[];
}

export const consumerKind = ({ saga, inbox, projection }: ConsumerDescription): ConsumerState['kind'] => {
  if (saga !== undefined) return 'saga';
  if (inbox !== undefined) return 'inbox';
  return projection ? 'projection' : 'consumer';
};
