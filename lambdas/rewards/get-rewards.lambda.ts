import { tableOfFunction } from '@orderly/kit/aws';
import { CallerId } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { rewardsOf } from './rewards-view.js';
import { getRewards } from './routes.js';
import { tiersOfFunction } from './tiers.js';

const rewards = { table: tableOfFunction(), tiers: tiersOfFunction() };

/** GET /rewards/{customerId}: a customer's points and tier, and the entries that led to them. */
export const handler = endpoint(getRewards, async ({ query, parameter }) => ({
  status: 200,
  body: await rewardsOf(rewards, parameter('customerId', CallerId), query),
}));
