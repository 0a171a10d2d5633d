import { beforeEach, expect, test } from 'vitest';
import { requireAccount } from '../../../lambdas/accounts/account-store.js';
import { type AccountStore, accounts } from '../../../lambdas/accounts/aggregates.js';
import { accountsContract } from '../../../lambdas/accounts/contract.js';
import { onCommand } from '../../../lambdas/accounts/on-command.js';
import { onOrderEvent } from '../../../lambdas/accounts/on-order-event.js';
import { onPaymentEvent } from '../../../lambdas/accounts/on-payment-event.js';
import { type OrderEvent, ordersContract } from '../../../lambdas/orders/contract.js';
import { type PaymentEvent, paymentsContract } from '../../../lambdas/payments/contract.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { commandMessage, eventMessage } from '../../../packages/kit/testing/messages.js';
import { LIMITS } from '../../support/function-environment.js';

/** Events from which nothing may follow: no scenario has them, or tells them from those that change an account. */

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const [orderId, customerId] = ['o1', 'alice'];
type Deliver = ReturnType<InMemoryService['consumer']>;
let service: InMemoryService;
let accountStore: AccountStore;
let events: Deliver;
let money: Deliver;
beforeEach(async () => {
  service = new InMemoryService('accounts');
  accountStore = service.eventStore(accounts);
  const facts = { defaultCreditLimit: eur(1_000), limits: LIMITS };
  const context = { accountStore, table: service.table, facts };
  events = service.consumer([onOrderEvent(context)]);
  money = service.consumer([onPaymentEvent(context)]);
  const data = { orderId, customerId, stepId: `${orderId}/authorize`, amount: eur(600) };
  const authorize = commandMessage(accountsContract, { type: 'AuthorizeAccount', data }, 'orders');
  await service.consumer([onCommand(context)], ['orders'])(authorize);
  service.drainPublished();
});

/** Nothing was written, and the account holds what it held. */
async function nothingFollows(): Promise<void> {
  expect(service.drainPublished()).toEqual([]);
  const { authorized, captured, settled, available } = requireAccount(await accountStore.load(customerId));
  expect([authorized, captured, settled, available]).toEqual([600, 0, 0, 400].map(eur));
}

test.each<[string, OrderEvent]>([
  ['an approval of before there were sagas', { type: 'OrderApproved', data: { orderId } }],
  ['a cancellation of before there were sagas', { type: 'OrderCancelled', data: { orderId } }],
  [
    'a cancellation that is left to a saga under way',
    { type: 'OrderCancelled', data: { orderId, customerId, underWay: true } },
  ],
])('%s changes no account', async (_, event) => {
  const delivered = eventMessage(ordersContract, event);
  expect([await events(delivered), await events(delivered)]).toEqual(['applied', 'duplicate']);
  await nothingFollows();
});

test('a refund of a payment without an order changes no account', async () => {
  const refunded: PaymentEvent = {
    type: 'PaymentRefunded',
    data: { paymentId: 'p1', refundId: 'r1', amount: eur(600) },
  };
  const delivered = eventMessage(paymentsContract, refunded);
  expect([await money(delivered), await money(delivered)]).toEqual(['applied', 'duplicate']);
  await nothingFollows();
});
