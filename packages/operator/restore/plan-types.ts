import type { Service } from '../deployment/services.js';
import type { RestorableTable } from './access.js';
import type { LostCommits } from './lost-commits.js';

/** A table of the service. */
export interface PlannedTable {
  readonly name: string;
  readonly holds: 'commits' | 'records';
  /** Name of the table to which it is restored. It is deleted afterwards. */
  readonly copy: string;
  /** Absent if the table is gone. */
  readonly state: RestorableTable | undefined;
  /** Reason why it can't be restored to the instant; absent if it can. */
  readonly obstacle?: string;
}

/** A function that writes into the tables, and has to stand still. */
export interface PlannedFunction {
  readonly name: string;
  /** Concurrency that it has to get back; absent if none is reserved. */
  readonly reserved?: number;
}

/** Everything that a restore needs to know. */
export interface RestorePlan {
  readonly service: Service;
  readonly at: string;
  readonly tables: readonly PlannedTable[];
  readonly epoch: number;
  /** Reason for which an earlier restore of the service forbids this one; absent if none does. */
  readonly forbidden?: string;
  readonly forgotten: LostCommits;
  readonly functions: readonly PlannedFunction[];
}
