import type { AccountAndRegion } from '../../assembly/identity.js';
import type { Operations } from '../../wire/operation.js';

/** AWS Security Token Service API Reference, "GetCallerIdentity": the account's administrator. */
export const stsApi = ({ home: { account, root } }: { readonly home: AccountAndRegion }): Operations => ({
  GetCallerIdentity: () => ({ UserId: account, Account: account, Arn: root }),
});
