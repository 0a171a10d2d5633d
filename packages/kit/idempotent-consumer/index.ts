/** Functions behind a queue whose effect happens once for each message. */
export { commandOn, noEffect } from './command-on.js';
export { type ConsumerOptions, consumer } from './consumer.js';
export { type Handling, type Message, on, onEvery, type Source } from './listening.js';
export type { Decide, Effect, Refused } from './process-once.js';
export { type DecideAll, type DecidedTogether, decidedTogether, type JointDecision } from './together.js';
