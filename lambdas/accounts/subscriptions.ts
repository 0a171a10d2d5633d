import { commandsTo, subscribe, subscribeToAll } from '@orderly/kit/messages';
import { ordersContract } from '../orders/contract.js';
import { paymentsContract } from '../payments/contract.js';
import { accountsContract } from './contract.js';

/** Steps of orders' sagas. No other service's commands are accepted. */
export const stepCommands = commandsTo(accountsContract, { from: [ordersContract] });

/** Events that end orders. */
export const orderEnds = subscribe(ordersContract, ['OrderApproved', 'OrderCancelled'], { contends: 'customerId' });

/** Events that settle what orders use of the credit, and that give money back for returned goods. */
export const paymentEvents = subscribe(paymentsContract, ['PaymentCharged', 'PaymentRefunded'], {
  contends: 'customerId',
});

/** The only ones of them that are heard, once approvals settle their orders (setting `settlements`). */
export const returnEvents = subscribe(paymentsContract, ['PaymentRefunded'], { contends: 'customerId' });

/** Events that the list of customers without credit shows. */
export const listEvents = subscribeToAll(accountsContract);

/** The only ones of them that change the list, once all functions write them (setting `exhaustedAccounts`). */
export const exhaustionEvents = subscribe(accountsContract, ['ExhaustedAccountChanged']);
