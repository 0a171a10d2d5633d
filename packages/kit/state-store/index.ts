/** Aggregates of which the newest state is stored, with the events that tell others of each change. */
export { stateKey } from './state-key.js';
export { StateStore, type Stored } from './state-store.js';
