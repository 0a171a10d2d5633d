/** Messages between services: contracts, subscriptions, commits, envelopes and traces. */

export { buildCommitItem, type Commit, type NewCommit } from './commit.js';
export {
  type AnyEvent,
  buildCommand,
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
export { aggregateKey, aggregateKeyPrefix } from './keys.js';
export { MAX_SEQUENCE, type Position, toOrdinal } from './position.js';
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
