import { aggregateKey } from '../messages/keys.js';

/** Sort key of the item that holds an aggregate's state. Its commits are beside it, under the same partition key. */
const STATE = 'STATE';

/** Returns the key of a state-stored aggregate. */
export const stateKey = (aggregate: string, id: string): { readonly pk: string; readonly sk: string } => ({
  pk: aggregateKey(aggregate, id),
  sk: STATE,
});
