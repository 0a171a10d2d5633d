import { tableFromEnvironment } from '@orderly/kit/aws';
import { endpoint } from '../endpoint.js';
import { readRewards } from './rewards-view.js';
import { getMyRewards } from './routes.js';
import { tiersFromEnvironment } from './tiers.js';

const rewards = { table: tableFromEnvironment(), tiers: tiersFromEnvironment() };

/** GET /rewards/me: the caller's points and tier, and the entries that led to them. */
export const handler = endpoint(getMyRewards, async ({ caller, query }) => ({
  status: 200,
  body: await readRewards(rewards, caller.id, query),
}));
