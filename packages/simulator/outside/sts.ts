import type { Home } from '../assembly/identity.js';
import type { Operations } from './operation.js';

/** AWS Security Token Service API Reference, "GetCallerIdentity": the account's administrator. */
export const identity = ({ account, root }: Home): Operations => ({
  GetCallerIdentity: () => ({ UserId: account, Account: account, Arn: root }),
});
