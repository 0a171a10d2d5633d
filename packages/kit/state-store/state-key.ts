import { aggregateKey } from '../messages/commit.js';

/** Sort key of an aggregate's one item, beside its commits. */
export const STATE = 'STATE';

/** Key of a state-stored aggregate. */
export const stateKey = (aggregate: string, id: string): { readonly pk: string; readonly sk: string } => ({
  pk: aggregateKey(aggregate, id),
  sk: STATE,
});
