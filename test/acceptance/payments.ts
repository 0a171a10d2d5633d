import { expect } from 'vitest';
import type { PaymentView } from '../../lambdas/services/payments/contract.js';
import { world } from '../support/world.js';
import type { ApiAnswer, Caller } from './world.js';

/** What scenarios about payments begin with and wait for. */

export const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** `POST /payments` of a customer for their own account. */
export const pay = (customer: string, amount: number, key: string | undefined, more: object = {}) =>
  world.call<PaymentView>({
    method: 'POST',
    path: '/payments',
    as: { customer },
    body: { accountId: customer, amount: eur(amount), ...more },
    ...(key === undefined ? {} : { key }),
  });

export const giveBack = (customer: string, paymentId: string, key: string, body: object = {}) =>
  world.call<PaymentView>({ method: 'POST', path: `/payments/${paymentId}/refund`, as: { customer }, body, key });

export const getPayment = (paymentId: string, as: Caller = 'operator'): Promise<ApiAnswer<PaymentView>> =>
  world.call({ method: 'GET', path: `/payments/${paymentId}`, as });

/** Waits until a payment shows this. */
export const shows = (paymentId: string, wanted: Partial<PaymentView>): Promise<PaymentView> =>
  world.eventually(`payment ${paymentId} shows ${JSON.stringify(wanted)}`, async () => {
    const { body } = await getPayment(paymentId);
    expect(body).toMatchObject(wanted);
    return body;
  });

/** A payment that is charged. */
export async function chargedPayment(customer: string, amount: number): Promise<string> {
  const { body } = await pay(customer, amount, world.uuid());
  await shows(body.paymentId, { status: 'CHARGED' });
  return body.paymentId;
}
