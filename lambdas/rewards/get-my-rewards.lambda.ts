import { tableOfFunction } from '@orderly/kit/aws';
import { endpoint } from '../endpoint.js';
import { rewardsOf } from './rewards-view.js';
import { getMyRewards } from './routes.js';
import { tiersOfFunction } from './tiers.js';

const rewards = { table: tableOfFunction(), tiers: tiersOfFunction() };

/** GET /rewards/me: the caller's points and tier, and the entries that led to them. */
export const handler = endpoint(getMyRewards, async ({ caller, query }) => ({
  status: 200,
  body: await rewardsOf(rewards, caller.id, query),
}));
