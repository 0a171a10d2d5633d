import { requireEnv, SettingMissing } from '@orderly/kit/aws';
import type { Tiers } from './domain/standing.js';
import { RewardsEnv } from './environment.js';

/**
 * Reads the tiers of this function's environment.
 * @throws {SettingMissing} at start, if the construct did not set them
 */
export function tiersFromEnvironment(): Tiers {
  const { silver, gold } = JSON.parse(requireEnv(RewardsEnv.REWARD_TIERS)) as Tiers;
  if (silver > 0 && gold > silver) return { silver, gold };
  throw new SettingMissing(
    `environment variable ${RewardsEnv.REWARD_TIERS}: expected silver above 0 and gold above silver`,
  );
}
