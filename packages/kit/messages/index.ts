/** Messages between services: contracts, subscriptions, commits, envelopes and traces. */

export { type Commit, commitItem, type NewCommit } from './commit.js';
export {
  type AnyEvent,
  type CommandOf,
  ContractViolation,
  type EarlierShape,
  type EventOf,
  type EventSchema,
  earlierShape,
  type OutgoingCommand,
  type ServiceContract,
} from './contract.js';
export type { Envelope } from './envelope.js';
export { aggregateKey, keysOf } from './keys.js';
export { MAX_SEQUENCE, ordinalOf, type Position } from './position.js';
export { Sealed } from './sealed.js';
export {
  type CommandSubscription,
  commandsTo,
  type EventSubscription,
  type OwnCommands,
  ownCommands,
  type Subscription,
  subscribe,
  subscribeToAll,
} from './subscriptions.js';
export type { Trace } from './trace.js';
