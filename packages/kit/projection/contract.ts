import type { Item } from '../aws/dynamodb.js';

/** Shared by a projection's functions, their permissions and the operator's command line. */

/** Prefix of the partition keys of items about projections. */
export const PROJECTIONS = 'PROJECTION#';

/** Versions of a projection's rows. They count from 1, and no number is ever used again. */
export interface Versions {
  /** Version from which lists are read. */
  readonly reads: number;
  /** Version that a rebuild is building. It is absent if no rebuild is running. */
  readonly builds?: number | undefined;
  /** Highest version that was ever begun. */
  readonly last: number;
  /**
   * Shape of all rows of the version that is read: that of the release whose rebuild made it. Absent if no rebuild of a release
   * with shapes has made it; then it may contain rows of earlier releases.
   */
  readonly shape?: number | undefined;
}

/** Difference between a row of the current version and its rebuilt row. */
export interface Difference {
  /** Aggregate: `Order/<id>`. */
  readonly subject: string;
  /**
   * Kind of the difference:
   *
   * - `bytes`: both rows show the same version of the aggregate, but their contents differ.
   * - `behind`: the row does not show an event that is over an hour old.
   * - `unfounded`: the row shows something that does not follow from any event.
   * - `unreadable`: the aggregate can't be loaded. Its row, if it has one, stays as it is; its failure record says why.
   */
  readonly kind: 'bytes' | 'behind' | 'unfounded' | 'unreadable';
}

export interface Counts {
  /** Commits that the feed returned. */
  readonly commits: number;
  readonly aggregates: number;
  /** Rows of the current version that were compared with those of the new version. */
  readonly compared: number;
  /** Compared rows that the feed had not returned, or only in an older state. They were put into the new version. */
  readonly completed: number;
  /** Rows of the current version whose newest events are younger than an hour and still on their way. */
  readonly pending: number;
  readonly differences: number;
  readonly deleted: number;
}

/** Progress of a rebuild. It is kept after its end, until the next rebuild begins. */
export interface Rebuild {
  /**
   * Revision of the checkpoint; each write raises it. If there are two runners, one continues from what the other
   * wrote.
   */
  readonly revision: number;
  /**
   * `switch`: lists are read from the new version afterwards. `check`: the new version is compared and then deleted.
   */
  readonly purpose: 'switch' | 'check';
  readonly phase: 'REPLAY' | 'COMPARE' | 'DELETE' | 'DONE';
  /** Version that was current when the rebuild began. `builds` is the new version. */
  readonly replaces: number;
  readonly builds: number;
  /** Shape of the rows that the release which began it makes; absent if that release has none. */
  readonly shape?: number;
  /** Version that stays. Set from the phase DELETE on. */
  readonly keeps?: number;
  /** Position from which the phase continues. It is absent at the beginning of a phase. */
  readonly position?: Item;
  readonly startedAt: string;
  /** Time at which the phase DELETE began. */
  readonly decidedAt?: string;
  readonly finishedAt?: string;
  readonly counts: Counts;
  /** The first differences that were found. */
  readonly differences: readonly Difference[];
}

/** Request of an operator to a projection's rebuild function. */
export type RebuildRequest =
  | { readonly action: 'show' | 'discard' }
  /** Begins a rebuild. A running rebuild is left as it is. */
  | { readonly action: 'begin'; readonly purpose: Rebuild['purpose'] }
  /**
   * Works for a limited time. `pageSize` is the number of items that are read at once, and that are read again after a
   * crash.
   */
  | { readonly action: 'go-on'; readonly pageSize: number }
  /** Asks which version of each of these aggregates the current version of the projection shows. */
  | { readonly action: 'shown'; readonly ids: readonly string[] };

export interface RebuildAnswer {
  readonly versions: Versions;
  /** Running rebuild, or the last one. It is absent if there never was a rebuild. */
  readonly rebuild?: Rebuild;
  /** Seconds for which there is nothing to do. */
  readonly waitSeconds?: number;
  /**
   * To `shown`: the version of each aggregate that its row shows. It is 0 for a row that is not there yet, and the aggregate's own
   * version if it has no row.
   */
  readonly shown?: Readonly<Record<string, number>>;
}
