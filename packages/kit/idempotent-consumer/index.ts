/** Functions behind a queue whose effect happens once for each message. */

export { type ConsumerOptions, consumer } from './consumer.js';
export { handleCommand, noEffect } from './handle-command.js';
export { type DecideAll, decideJointly, type JointDecision, type JointRequest } from './joint-decision.js';
export { type Handling, type Message, on, onEvery, type Source } from './message-source.js';
export type { Decide, Effect, RefusedTransaction } from './process-once.js';
