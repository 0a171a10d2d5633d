import { ACCOUNT, PARTITION } from '../assembly/identity.js';
import type { Operations } from './operation.js';

/** AWS Security Token Service API Reference, "GetCallerIdentity": the account's administrator. */
export const identity: Operations = {
  GetCallerIdentity: () => ({ UserId: ACCOUNT, Account: ACCOUNT, Arn: `arn:${PARTITION}:iam::${ACCOUNT}:root` }),
};
