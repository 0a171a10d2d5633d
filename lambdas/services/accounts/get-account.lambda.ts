import { endpoint } from '../../platform/http.js';
import { accountStore, customerIdOf, existing, noSuchAccount } from './account-store.js';

/** GET /accounts/{customerId}: strongly consistent; somebody else's looks like none. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async ({ caller, parameter }) => {
  const customerId = customerIdOf(parameter('customerId'));
  if (caller.role === 'customer' && customerId !== caller.id) noSuchAccount();
  return { status: 200, body: existing(await accountStore.load(customerId)) };
});
