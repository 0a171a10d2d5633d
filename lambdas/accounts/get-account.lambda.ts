import { AsItWas, loadAsItWas } from '../../packages/kit/event-store/as-it-was.js';
import { endpoint } from '../endpoint.js';
import { accountStore, customerIdOf, existing, ownOf } from './account-store.js';

/** GET /accounts/{customerId}: the account now, or as it was at a time or version; strongly consistent. */
export const handler = endpoint(
  { roles: ['customer', 'operator'], query: AsItWas },
  async ({ caller, query, parameter }) => {
    const customerId = ownOf(caller, customerIdOf(parameter('customerId')));
    return { status: 200, body: existing(await loadAsItWas(accountStore, customerId, query)) };
  },
);
