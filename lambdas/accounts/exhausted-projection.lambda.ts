import { consumer } from '../../packages/kit/idempotent-consumer/consumer.js';
import type { Message } from '../../packages/kit/idempotent-consumer/listening.js';
import { show } from '../../packages/kit/projection/projection.js';
import { accountStore } from './account-store.js';
import { accountsContract } from './contract.js';
import { exhaustedList } from './exhausted-list.js';

/** Customers who have used up their credit: at any event of an account its row is put anew, from the account itself. */
export const handler = consumer({
  contract: accountsContract,
  on: {
    AccountOpened: project,
    CreditLimitSet: project,
    AccountAuthorized: project,
    AuthorizationDeclined: project,
    AuthorizationCaptured: project,
    AuthorizationReleased: project,
    AuthorizationVoided: project,
    AccountRefunded: project,
    SagaReplyRequested: project,
  },
});

function project({ event }: Message<{ data: { customerId: string } }>) {
  return { project: async () => show(exhaustedList, await accountStore.load(event.data.customerId)) };
}
