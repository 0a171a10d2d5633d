/** Event streams of aggregates: event sourcing with optimistic concurrency, snapshots and history. */
export { DynamoDbEventStore, type DynamoDbEventStoreSettings } from './dynamodb-event-store.js';
export {
  AggregateDeleted,
  type CommitExtras,
  type EventStore,
  type Evolution,
  type HistoryEntry,
  type HistoryPosition,
  type Loaded,
  type TransactionalEventStore,
  VersionTaken,
} from './event-store.js';
export { type Histories, InMemoryEventStore } from './in-memory-event-store.js';
export { AsItWas, HistoryQuery, historyPage, loadAsOf } from './point-in-time.js';
