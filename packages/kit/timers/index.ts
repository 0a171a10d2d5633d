/** Commands that a service sends to itself later. */
export type { ConsumerIdentity } from '../failures/failure-records.js';
export { type Timer, Timers, type TimersOptions } from './timers.js';
