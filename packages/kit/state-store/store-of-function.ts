import { dedupeWindow, epoch, feedShards } from '../aws/read-environment.js';
import { tableOfFunction } from '../aws/table.js';
import type { AnyEvent } from '../messages/contract.js';
import { type StateAggregate, StateStore, type Stored } from './state-store.js';

/**
 * Returns the store of a state-stored aggregate type, in the table of this function's service.
 * @example
 * const productStore: StateStore<Product, ProductEvent> = stateStoreOfFunction(products);
 * @throws {SettingMissing} at start, if the construct did not set a setting that it needs
 */
export const stateStoreOfFunction = <State extends Stored, Event extends AnyEvent>(
  aggregate: StateAggregate,
): StateStore<State, Event> =>
  new StateStore(aggregate, {
    table: tableOfFunction(),
    feedShards: feedShards(),
    epoch: epoch(),
    commitSeconds: dedupeWindow(),
  });
