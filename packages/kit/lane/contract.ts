/** Shared by the functions of a lane, their permissions and the filter of the stream. */

/** Contention that leads messages into a lane. */
export interface HotKeySettings {
  /** Keys that always take the lane. */
  readonly always: readonly string[];
  /** Number of lost races for a key, within one second and in one function instance, from which on it takes the lane. */
  readonly conflictsPerSecond: number;
}

/** Prefix of the partition keys of a service's lanes. */
const LANES = 'LANE#';

/** Prefix of the sort keys of requests. The stream's filter matches it. */
export const REQUEST_PREFIX = 'REQUEST#';

/** Returns the prefix of the partition keys of a consumer's lanes. */
export const lanesOf = (consumer: string): string => `${LANES}${consumer}#`;

/** Returns the partition key of one lane. The stream hands the items of one partition key to one writer at a time. */
export const laneKey = (consumer: string, key: string): string => lanesOf(consumer) + key;

/** Tells by its sort key whether an item is a request of a lane. */
export const isRequest = (sk: string | undefined): boolean => sk?.startsWith(REQUEST_PREFIX) ?? false;
