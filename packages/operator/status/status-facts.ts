import type { ConsumerDescription } from '@orderly/kit/internal/base/outputs.js';
import type { ErrorLine } from './error-lines.js';
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
  /** Who paused it, since when (ISO 8601), and why. @default it is not paused */
  readonly paused?: { readonly since: string; readonly by: string; readonly reason: string };
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

/** Kind of a function's work, for people. */
export type FunctionKind = ConsumerState['kind'] | 'relay' | 'endpoint' | 'other';

/** A function of which calls failed in the last ten minutes, or that tries messages again. */
export interface FailingFunction {
  readonly service: string;
  /** Its entry point: `orders/place-order`. */
  readonly entry: string;
  /** Physical name. */
  readonly name: string;
  readonly kind: FunctionKind;
  readonly consumer?: string;
  readonly calls: number;
  /** Calls that ended with an error, a timeout or an exit. */
  readonly failed: number;
  /** Times that it put a message off, or did not send one, without an error of the call. */
  readonly retried: number;
  /** Minute from which on each of its calls failed, ISO 8601; absent if the newest minute with calls has one that did not. */
  readonly failingSince?: string;
  /** Number of calls since then. */
  readonly inARow?: number;
  /** Absent if its log can't be read, or says nothing. */
  readonly lastError?: Omit<ErrorLine, 'fn'>;
  /** Age of the oldest message that waits for it. */
  readonly oldestSeconds?: number;
  /** Time until its oldest message is given up at the latest, if it fails until then: what is given up is a failure, and not lost. */
  readonly givesUpInSeconds?: number;
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
  /** Functions of which calls failed in the last ten minutes, or that try messages again. */
  readonly failing: readonly FailingFunction[];
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
