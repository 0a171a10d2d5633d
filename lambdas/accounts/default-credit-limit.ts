import { requireEnv } from '@orderly/kit/aws';
import * as z from 'zod/mini';
import { Money } from '../orders/contract.js';
import { AccountsEnv } from './environment.js';

/**
 * Reads the credit limit with which this function opens an account.
 * @throws {SettingMissing} at start, if the construct did not set it
 */
export const defaultCreditLimitFromEnvironment = (): Money =>
  z.parse(Money, JSON.parse(requireEnv(AccountsEnv.DEFAULT_CREDIT_LIMIT)));
