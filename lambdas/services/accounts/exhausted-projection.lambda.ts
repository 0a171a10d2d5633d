import { consumer, type Message } from '../../patterns/idempotent-consumer/consumer.js';
import { accountStore } from './account-store.js';
import { accountsContract } from './contract.js';
import { viewOf } from './domain/account.js';
import { putRow } from './exhausted-list.js';

/** Customers who have used up their credit: at any event of an account its row is put anew, from the account itself. */
export const handler = consumer({
  contract: accountsContract,
  on: {
    AccountOpened: show,
    CreditLimitSet: show,
    AccountAuthorized: show,
    AuthorizationDeclined: show,
    AuthorizationCaptured: show,
    AuthorizationReleased: show,
    AuthorizationVoided: show,
    AccountRefunded: show,
    SagaReplyRequested: show,
  },
});

function show({ event }: Message<{ data: { customerId: string } }>) {
  return {
    project: async () => {
      const { id, state, version } = await accountStore.load(event.data.customerId);
      const account = viewOf(id, state, version);
      // A release that came before its customer's first order opens no account: there is nothing to show.
      return account ? putRow(account) : 'applied';
    },
  } as const;
}
