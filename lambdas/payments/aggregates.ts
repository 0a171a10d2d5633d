import type { StoreOf } from '@orderly/kit/event-store';
import { paymentsContract } from './contract.js';
import { paymentDecider } from './domain/steps.js';
import { PAYMENT } from './keys.js';

export const payments = { aggregate: PAYMENT, contract: paymentsContract, decider: paymentDecider };
export type PaymentStore = StoreOf<typeof payments>;
