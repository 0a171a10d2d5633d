/** Event streams of aggregates: event sourcing with optimistic concurrency, snapshots and history. */
export {
  type DeciderStore,
  type Decision,
  decideOn,
  decideOnNew,
  type ReadFacts,
  type TargetedCommand,
} from './decide-on.js';
export { DynamoDbEventStore } from './dynamodb-event-store.js';
export {
  type Aggregate,
  AggregateDeleted,
  type CommitExtras,
  type EventStore,
  type HistoryEntry,
  type HistoryPosition,
  type Loaded,
  type StoreOf,
  type TransactionalEventStore,
  VersionTaken,
} from './event-store.js';
export { eventStoreFromEnvironment } from './event-store-from-environment.js';
export type { EventStoreSettings } from './folding-event-store.js';
