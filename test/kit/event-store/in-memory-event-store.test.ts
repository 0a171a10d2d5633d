import { type Histories, InMemoryEventStore } from '../../../packages/kit/event-store/in-memory-event-store.js';
import { eventStoreSuite, type StoreOf } from './event-store-suite.js';
import { releasesSuite } from './releases-suite.js';

const histories: Histories = new Map();
const storeOf: StoreOf = (contract, evolution) =>
  new InMemoryEventStore({ aggregate: 'Tally', contract }, evolution, histories);
eventStoreSuite('in memory', storeOf);
releasesSuite('in memory', storeOf);
