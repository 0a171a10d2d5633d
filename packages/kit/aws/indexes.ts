/** Names of the secondary indexes of a service's tables. Constructs create them, and functions query them. */

/** The feed: keys of all commits (global log), approximately in order of time. */
export const FEED_INDEX = 'feed';
/** Failures by consumer, then by time. A record without `failedConsumer` is not in the index. */
export const FAILED_INDEX = 'failed';
/** Records that sweepers send when they are due, by owner, then by time. */
export const DUE_INDEX = 'due';
/** Commits that contain a person's data or are about a person, by the attribute `person`; other commits are not in the index. */
export const PEOPLE_INDEX = 'people';
