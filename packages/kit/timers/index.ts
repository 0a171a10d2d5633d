/** Commands that a service sends to itself later. */
export { type Timer, Timers, type TimersOptions } from './timers.js';
