/** Helpers for tests of what is built on the kit. Functions never import them. */
export { given } from './given.js';
export { InMemoryEventStore } from './in-memory-event-store.js';
export { InMemoryService } from './in-memory-service.js';
export { InMemoryTables, type ServiceTables } from './in-memory-tables.js';
export { commandMessage, eventMessage, type MessageFields } from './messages.js';
export { countEvents, findFailures, findNextDue } from './stored-items.js';
export { readEvents, readStates } from './stored-streams.js';
