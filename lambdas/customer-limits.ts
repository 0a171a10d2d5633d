import { requireEnv, SettingMissing } from '@orderly/kit/aws';
import { AppEnv, type CustomerLimits } from './environment.js';

const NAMES = ['ordersUnderWay', 'ordersPerHour', 'paymentsPerDay', 'refundsPerDay', 'refundedPerDay'] as const;

/**
 * The limits of this function's environment.
 * @throws {SettingMissing} at start, where the construct did not set them, or one is no whole number above 0
 */
export function customerLimitsFromEnvironment(): CustomerLimits {
  const limits = JSON.parse(requireEnv(AppEnv.CUSTOMER_LIMITS)) as CustomerLimits;
  const wrong = NAMES.filter((name) => !(Number.isSafeInteger(limits[name]) && limits[name] > 0));
  if (wrong.length === 0) return limits;
  throw new SettingMissing(
    `environment variable ${AppEnv.CUSTOMER_LIMITS}: expected whole numbers above 0: ${wrong.join(', ')}`,
  );
}
