/** Variables of the rewards' functions. */
export const RewardsEnv = {
  /** Points within a year for each tier, as JSON: `{ "silver": 1000, "gold": 5000 }`. */
  REWARD_TIERS: 'REWARD_TIERS',
} as const;
