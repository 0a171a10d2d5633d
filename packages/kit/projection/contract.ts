import type { Item } from '../aws/dynamodb.js';

/** What a projection's functions, their rights and the operator's command line have in common. */

/** Partition keys of what is known about projections begin with this. */
export const PROJECTIONS = 'PROJECTION#';

/** Index of every commit's keys, in about the order of time. */
export const FEED_INDEX = 'feed';

/** Which versions of a projection's rows there are: they count from 1, and none is ever used again. */
export interface Versions {
  /** The one that lists are read from. */
  readonly reads: number;
  /** The one that a rebuild is filling, where one is under way. */
  readonly builds?: number | undefined;
  /** The highest that was ever begun. */
  readonly last: number;
}

/** How a row of the version that is read differs from its rebuilt one. */
export interface Difference {
  /** `Order/<id>` */
  readonly subject: string;
  /**
   * `bytes`: the same version of the aggregate, shown otherwise. `behind`: an event of over an hour ago isn't shown.
   * `unfounded`: it shows what no event tells.
   */
  readonly kind: 'bytes' | 'behind' | 'unfounded';
}

export interface Counts {
  /** Commits that the feed gave. */
  readonly commits: number;
  readonly aggregates: number;
  /** Rows of the version that is read, compared with those of the new one. */
  readonly compared: number;
  /** Of those: rows that the feed had not given, or not as new, and that were put then. */
  readonly completed: number;
  /** Rows of the version that is read whose newest events are younger than an hour and on their way. */
  readonly pending: number;
  readonly differences: number;
  readonly deleted: number;
}

/** A rebuild, as far as it has come; kept after its end until the next one. */
export interface Rebuild {
  /** Raised by each write: of two runners, one goes on from what the other wrote. */
  readonly revision: number;
  /** `switch`: the new version is to be read. `check`: it is compared and goes again. */
  readonly purpose: 'switch' | 'check';
  readonly phase: 'REPLAY' | 'COMPARE' | 'DELETE' | 'DONE';
  readonly paused: boolean;
  /** The version that was read when it began, and the one that it fills. */
  readonly replaces: number;
  readonly builds: number;
  /** The version that stays: from the phase DELETE on. */
  readonly keeps?: number;
  /** Where the phase goes on; none at its beginning. */
  readonly position?: Item;
  readonly startedAt: string;
  /** When the phase DELETE began. */
  readonly decidedAt?: string;
  readonly finishedAt?: string;
  readonly counts: Counts;
  /** The first of them. */
  readonly differences: readonly Difference[];
}

/** What an operator asks a projection's rebuild function for. */
export type RebuildRequest =
  | { readonly action: 'show' | 'pause' | 'resume' | 'discard' }
  /** Begins a rebuild; leaves one that is under way as it is. */
  | { readonly action: 'begin'; readonly purpose: Rebuild['purpose'] }
  /** Works for a while. `pageSize`: how many items are read at once, and done again after a crash. */
  | { readonly action: 'go-on'; readonly pageSize: number };

export interface RebuildAnswer {
  readonly versions: Versions;
  /** The one that is under way, or the last; none where there never was one. */
  readonly rebuild?: Rebuild;
  /** There is nothing to do for so long, in seconds. */
  readonly waitSeconds?: number;
}
