import { consumer, type Message } from '../../patterns/idempotent-consumer/consumer.js';
import { accountStore } from './account-store.js';
import { accountsContract } from './contract.js';
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
  return { project: async () => putRow(await accountStore.load(event.data.customerId)) };
}
