import type { StoreOf } from '@orderly/kit/event-store';
import { paymentsContract } from './contract.js';
import { paymentDecider } from './domain/steps.js';
import { PAYER, PAYMENT } from './keys.js';

export const payments = { aggregate: PAYMENT, contract: paymentsContract, decider: paymentDecider };
export type PaymentStore = StoreOf<typeof payments>;

/** Customers as payers, state-stored; the id is the customer's. */
export const payers = { aggregate: PAYER, contract: paymentsContract };
