import { bugsIn, type PlantedBug } from '../bug.js';

const entries = bugsIn('lambdas/rewards/domain/entries.ts');
const standing = bugsIn('lambdas/rewards/domain/standing.ts');
const onAccountEvent = bugsIn('lambdas/rewards/on-account-event.ts');
const rewardsStore = bugsIn('lambdas/rewards/rewards-store.ts');
const rewardsView = bugsIn('lambdas/rewards/rewards-view.ts');

export const REWARDS: readonly PlantedBug[] = [
  entries('a refund takes back the full units of its part, not the difference', 'rewards-in-order', {
    from: 'points: computePoints(after) - computePoints(before), orderId',
    to: 'points: Math.sign(change) * computePoints({ ...after, amount: amount.amount }), orderId',
  }),
  standing('a year of points has a day too many', 'rewards-in-order', {
    from: 'addDays(day, 1 - YEAR)',
    to: 'addDays(day, -YEAR)',
  }),
  onAccountEvent('refunds take back no points', 'rewards-in-order', {
    from: 'AccountRefunded: onCounted,',
    to: 'AccountRefunded: onIgnored,',
  }),
  rewardsStore('a standing is that of its newest entry alone', 'rewards-in-order', {
    from: 'addEntry(loaded.standing, counted.entry, tiers)',
    to: 'addEntry(initialStanding, counted.entry, tiers)',
  }),
  rewardsStore('points for what a restore has forgotten stay', 'restored-accounts', {
    from: 'if (after >= loaded.sequence) return loaded;',
    to: 'if (after >= 0) return loaded;',
  }),
  rewardsView('a page of rewards shows its newest entry only', 'rewards-in-order', {
    from: 'entries: found.slice(0, limit).map(',
    to: 'entries: found.slice(0, 1).map(',
  }),
];
