import type { FaultPlan } from '../engine/faults.js';
import type { Happenings } from '../engine/happenings.js';
import type { CodeHost } from '../runtime/environment.js';
import type { Recording, RecordingLookup } from '../runtime/recording.js';
import type { AccountQuota } from '../services/lambda/concurrency.js';
import type { Load } from '../services/lambda/load.js';
import type { EnvironmentLimits, Invocation } from '../services/lambda/model.js';

export interface CloudOptions {
  readonly seed: string;
  /** Seed from which the keys of KMS follow, for an account that takes over what another one remembered. @default `seed` */
  readonly keySeed?: string;
  /** Time at which a history begins, milliseconds since 1970. @default 2026-01-05T00:00:00Z */
  readonly begins?: number;
  readonly faults?: FaultPlan;
  readonly keepTrace?: boolean;
  /** Largest clock difference in milliseconds. @default 0 */
  readonly clockSkew?: number;
  /** Probability of a cold start although a warm environment is available. @default 0 */
  readonly coldness?: number;
  /** Delay of TTL deletions, milliseconds. @default two days */
  readonly ttlLag?: number;
  /**
   * Longest delay of a change on its way to a global secondary index, milliseconds. One change in fifty takes up to so long.
   * @default 5 s
   */
  readonly indexLag?: number;
  /**
   * Probability that a shard of a table's stream ends before a record: it splits, or rolls over. If it is above 0, each shard
   * also rolls over after four hours.
   * @default 0
   */
  readonly shardChanges?: number;
  /**
   * Number of items after which a page that is read from a table ends (`DynamoDbModelOptions.pageItems`).
   * @default only the limits in bytes count
   */
  readonly pageItems?: number;
  /** Whether messages and events may be lost on their way, which AWS excludes. @default false */
  readonly losses?: boolean;
  /** Starts with environments of finished histories, and keeps its own for later ones. @default false */
  readonly recycle?: boolean;
  /** Records what invocations do. @default no recording */
  readonly recording?: Recording;
  /**
   * Recorded invocations that may be replayed instead of running code, where environments are recycled.
   * @default none
   */
  readonly replays?: RecordingLookup;
  /** Quota of the account's concurrent invocations. @default 1,000, of which functions reserve 900 at most */
  readonly quota?: AccountQuota;
  /** Throughput of the account. @default calls take milliseconds, and tables take everything */
  readonly load?: Load;
  /**
   * Whether everything on its way takes the middle of its usual time, so that a call more or less doesn't change who meets whom: for
   * counts, where each message is to be alone. @default false
   */
  readonly steady?: boolean;
  /** Whether a history tells what happens, as a live account does: see `Cloud.happenings`. @default false */
  readonly isWatched?: boolean;
  /** Lives by the real clock instead of being a history. @default a history */
  readonly live?: LiveOptions;
}

/** An account that lives by the real clock. */
export interface LiveOptions {
  /** Time at which it begins, milliseconds since 1970. */
  readonly begins: number;
  /** @see EventLoopOptions.historyLimit */
  readonly historyLimit?: number | undefined;
  /** @see EventLoopOptions.happenings */
  readonly happenings?: Happenings;
  /** Runs the code of functions. */
  readonly host: CodeHost;
  /** @see LambdaSettings.environments */
  readonly environments: EnvironmentLimits;
  /** Called with each invocation that has ended. */
  readonly onInvocationEnd: (invocation: Invocation) => void;
  /** Called with what a person at the terminal should know: a call that was denied, or that nothing answers. */
  readonly log: (line: string) => void;
}
