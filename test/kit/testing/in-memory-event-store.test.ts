import { InMemoryEventStore } from '../../../packages/kit/testing/in-memory-event-store.js';
import { InMemoryTables } from '../../../packages/kit/testing/in-memory-tables.js';
import { eventStoreSuite, type StoreOf } from '../event-store/event-store-suite.js';
import { releasesSuite } from '../event-store/releases-suite.js';

const tables = new InMemoryTables();
const storeOf: StoreOf = (contract, decider) =>
  new InMemoryEventStore({ aggregate: 'Tally', contract, decider }, tables);
eventStoreSuite('in memory', storeOf);
releasesSuite('in memory', storeOf);
