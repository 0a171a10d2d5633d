import type { AttemptCounts, AttemptOutcome } from '@orderly/operator/attempts';

/** Look of an attempt in the picture. `answer lost`: it had its effect, and the queue did not learn of it, so the message came again. */
export const LOOKS = ['applied', 'duplicate', 'answer lost', 'crashed', 'refused', 'postponed', 'running'] as const;
export type Look = (typeof LOOKS)[number];

/** One time that a consumer got a message. Times are milliseconds since 1970, by the environment's clock. */
export interface AttemptMark {
  readonly id: string;
  readonly look: Look;
  /** Outcome as `orderly order` counts it. Absent while it runs. */
  readonly outcome?: AttemptOutcome;
  /** Absent where only log lines tell of it, which tell its end. */
  readonly began?: number;
  readonly at: number;
  /** Whether no source tells its time, so its place is between the times that are known. */
  readonly isEstimated?: true;
  readonly messageId?: string;
  readonly receiveCount?: number;
  readonly cause?: string;
  /** Kind of the fault that somebody had asked for. */
  readonly fault?: string;
  /** Path of its function's construct, for a fault. Only a local cloud tells it. */
  readonly owner?: string;
}

/** A message on its way to one consumer. */
export interface DeliveryMark {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  /** Id of the commit that sent it. */
  readonly commit: string;
  readonly consumer: string;
  readonly service: string;
  readonly sentAt: number;
  readonly state: string;
  readonly reason?: string;
  readonly isWaiting: boolean;
  readonly expiresAt?: number;
  readonly owner?: string;
  /** In the order of time. */
  readonly attempts: readonly AttemptMark[];
}

/** One event or command of a commit. */
export interface CommittedMessage {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly details?: string;
  readonly to?: string;
}

/** A commit: what one transaction wrote to the history of an aggregate. */
export interface CommitMark {
  readonly id: string;
  readonly service: string;
  readonly subject: string;
  readonly at: number;
  readonly trigger: string;
  readonly correlationId: string;
  readonly messages: readonly CommittedMessage[];
  /** Whether a stream of happenings told it, which knows messages and no commits. */
  readonly isPublication?: true;
}

/** A timeout that a saga has set. */
export interface TimerMark {
  readonly id: string;
  readonly service: string;
  readonly commit: string;
  readonly at: number;
  readonly due: number;
}

export type StepState = 'done' | 'waiting' | 'refused' | 'compensating' | 'compensated' | 'stuck';

/** A saga with its steps, in the order in which it began them. */
export interface SagaMark {
  readonly name: string;
  readonly id: string;
  readonly service: string;
  readonly status: string;
  readonly text: string;
  readonly steps: readonly { readonly name: string; readonly state: StepState; readonly attempt: number }[];
}

/** A time for which somebody has forwarded the clock. */
export interface ForwardMark {
  readonly from: number;
  readonly to: number;
}

/** Everything that one order, or one correlation id, has caused. */
export interface History {
  readonly id: string;
  readonly title: string;
  readonly verdict?: {
    readonly state: 'complete' | 'pending' | 'failed';
    readonly text: string;
    readonly next?: string;
  };
  /** Names of services, in the order in which they came into it. */
  readonly services: readonly string[];
  readonly commits: readonly CommitMark[];
  readonly deliveries: readonly DeliveryMark[];
  readonly timers: readonly TimerMark[];
  readonly sagas: readonly SagaMark[];
  readonly forwards: readonly ForwardMark[];
  readonly counts: AttemptCounts;
  readonly doneTwice: number;
  /** Why the attempts are not known, or not all of them. */
  readonly gap?: string;
}

/** How much a source tells about attempts: the picture says it where a place is empty. */
export const isEmpty = ({ commits, deliveries }: History): boolean => commits.length === 0 && deliveries.length === 0;
