import { tableFromEnvironment } from '@orderly/kit/aws';
import { CallerId } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { readRewards } from './rewards-view.js';
import { getRewards } from './routes.js';
import { tiersFromEnvironment } from './tiers.js';

const rewards = { table: tableFromEnvironment(), tiers: tiersFromEnvironment() };

/** GET /rewards/{customerId}: a customer's points and tier, and the entries that led to them. */
export const handler = endpoint(getRewards, async ({ query, parameter }) => ({
  status: 200,
  body: await readRewards(rewards, parameter('customerId', CallerId), query),
}));
