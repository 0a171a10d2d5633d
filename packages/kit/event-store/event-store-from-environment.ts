import { Env } from '../aws/environment.js';
import { readEpoch, readFeedShards, requireEnv } from '../aws/read-environment.js';
import type { Evolution } from '../decider/decider.js';
import type { AnyEvent } from '../messages/contract.js';
import { DynamoDbEventStore } from './dynamodb-event-store.js';
import type { Aggregate } from './event-store.js';

/**
 * Returns the event store of an aggregate type, in the table of this function's service.
 * @example
 * const tripStore = eventStoreFromEnvironment(trips);
 * @throws {SettingMissing} at start, if the construct did not set the table
 */
export const eventStoreFromEnvironment = <State, Event extends AnyEvent, Rules extends Evolution<State, Event>>({
  decider,
  ...settings
}: Aggregate<Rules & Evolution<State, Event>>): DynamoDbEventStore<State, Event, Rules> =>
  new DynamoDbEventStore(
    { table: requireEnv(Env.TABLE), feedShards: readFeedShards(), epoch: readEpoch(), ...settings },
    decider,
  );
