import { expect, test } from 'vitest';
import { catalogContract } from '../../../lambdas/catalog/contract.js';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { encodeEvent, readEvent, type ServiceContract } from '../../../packages/kit/messages/contract.js';

/** 0.2.0 runs beside this release during a deployment, and again after a rollback. It knows no discontinued products. */

const step = { orderId: 'o1', stepId: 'o1/confirm-prices' };
const refusal = { reason: 'PRODUCT_DISCONTINUED', skus: ['TEA-1'] };
const written = { reason: 'UNKNOWN_PRODUCT', skus: ['TEA-1'], discontinued: true };

test.each<[string, ServiceContract, number, object]>([
  ['PricesRefused', catalogContract, 1, step],
  ['SagaReplyRequested', catalogContract, 1, { ...step, outcome: 'REFUSED' }],
  ['OrderRejected', ordersContract, 3, { orderId: 'o1' }],
])('%s says a reason that the previous release reads, and loses nothing', (type, contract, schemaVersion, data) => {
  const event = { type, data: { ...data, ...refusal } };
  expect(encodeEvent(contract, event)).toEqual({ schemaVersion, data: { ...data, ...written } });
  expect(readEvent(contract, type, schemaVersion, { ...data, ...written })).toEqual(event);
});

test.each<[string, ServiceContract, number, object]>([
  ['PricesRefused', catalogContract, 1, { ...step, reason: 'UNKNOWN_PRODUCT', skus: ['TEA-1'] }],
  ['SagaReplyRequested', catalogContract, 1, { ...step, outcome: 'DONE' }],
  ['OrderRejected', ordersContract, 3, { orderId: 'o1', reason: 'UNKNOWN_PRODUCT', skus: ['TEA-1'] }],
])('%s is written and read as before where no product is discontinued', (type, contract, schemaVersion, data) => {
  expect(encodeEvent(contract, { type, data })).toEqual({ schemaVersion, data });
  expect(readEvent(contract, type, schemaVersion, data)).toEqual({ type, data });
});
