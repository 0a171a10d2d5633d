import type { StoreOf } from '@orderly/kit/event-store';
import { accountsContract } from './contract.js';
import { accountDecider } from './domain/account.js';
import { ACCOUNT } from './keys.js';

/** Accounts of customers; the id is the customer's. */
export const accounts = { aggregate: ACCOUNT, contract: accountsContract, decider: accountDecider };
export type AccountStore = StoreOf<typeof accounts>;
