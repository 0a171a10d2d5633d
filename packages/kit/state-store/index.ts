/** Aggregates of which the newest state is stored, with the events that tell others of each change. */
export { stateKey } from './state-key.js';
export { type StateAggregate, StateStore, type StateStoreSettings, type Stored } from './state-store.js';
export { stateStoreFromEnvironment } from './state-store-from-environment.js';
