import { readDedupeWindow, readEpoch, readFeedShards } from '../aws/read-environment.js';
import { tableFromEnvironment } from '../aws/table.js';
import type { AnyEvent } from '../messages/contract.js';
import { type StateAggregate, StateStore, type Stored } from './state-store.js';

/**
 * Returns the store of a state-stored aggregate type, in the table of this function's service.
 * @example
 * const productStore: StateStore<Product, ProductEvent> = stateStoreFromEnvironment(products);
 * @throws {SettingMissing} at start, if the construct did not set a setting that it needs
 */
export const stateStoreFromEnvironment = <State extends Stored, Event extends AnyEvent>(
  aggregate: StateAggregate,
): StateStore<State, Event> =>
  new StateStore(aggregate, {
    table: tableFromEnvironment(),
    feedShards: readFeedShards(),
    epoch: readEpoch(),
    commitSeconds: readDedupeWindow(),
  });
