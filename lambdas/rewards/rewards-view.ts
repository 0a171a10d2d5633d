import { clock } from '@orderly/kit/aws';
import { decodeCursor, encodeCursor, parseLimit } from '@orderly/kit/http';
import * as z from 'zod/mini';
import type { RewardsView } from './contract.js';
import { findTier } from './domain/standing.js';
import { loadStanding, type Rewards, readEntries } from './rewards-store.js';
import type { getRewards } from './routes.js';

/** Position of the last entry that was shown. */
const Position = z.int().check(z.gte(1));

/**
 * Returns a page of a customer's rewards. A customer without entries has no points.
 * @throws {Problem} 400 if the cursor belongs to another list
 */
export async function readRewards(
  rewards: Rewards,
  customerId: string,
  query: z.infer<(typeof getRewards)['query']>,
): Promise<RewardsView> {
  const list = `rewards of ${customerId}`;
  const limit = parseLimit(query);
  const shown = decodeCursor(list, query.cursor, Position);
  const { sequence, standing, forgotten } = await loadStanding(rewards, customerId);
  // An entry that was counted after the standing was read is on no page.
  const upTo = Math.min(sequence, (shown ?? Number.POSITIVE_INFINITY) - 1);
  const range = { after: 0, upTo, limit: limit + 1, forgotten, newestFirst: true };
  const found = upTo > 0 ? await readEntries(rewards.table, customerId, range) : [];
  const last = found.slice(0, limit).at(-1);
  return {
    customerId,
    points: standing.points,
    tier: findTier(standing, clock.now()),
    entries: found.slice(0, limit).map(({ entry }) => entry),
    ...(found.length > limit && last ? { nextCursor: encodeCursor(list, last.sequence) } : {}),
  };
}
