import { expect } from 'vitest';
import type { PaymentEvent, PaymentView, StepCommand } from '../../lambdas/payments/contract.js';
import { world } from '../support/world.js';
import { newOrderId, toPayments } from './messages.js';
import type { ApiAnswer, Caller } from './world.js';

/** Preconditions and waits of scenarios about payments. */

export const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** Sends `POST /payments` of a customer for their own account. */
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

/** Waits until a payment has these values. */
export const shows = (paymentId: string, wanted: Partial<PaymentView>): Promise<PaymentView> =>
  world.eventually(`payment ${paymentId} shows ${JSON.stringify(wanted)}`, async () => {
    const payment = await world.client('operator').getPayment({ paymentId });
    expect(payment).toMatchObject(wanted);
    return payment;
  });

/** Makes a payment and waits until it is charged. */
export async function chargedPayment(customer: string, amount: number): Promise<string> {
  const body = { accountId: customer, amount: eur(amount) };
  const { paymentId } = await world.client({ customer }).requestPayment({ body, key: world.uuid() });
  await shows(paymentId, { status: 'CHARGED' });
  return paymentId;
}

/** Returns the steps of one order's saga. */
export function paymentSteps(amount: number, orderId = newOrderId()) {
  const step = (name: string) => ({ customerId: 'alice', orderId, stepId: `${orderId}/${name}` });
  const charge: StepCommand = { type: 'ChargePayment', data: { ...step('charge'), amount: eur(amount) } };
  const undo: StepCommand = { type: 'RefundPayment', data: step('undo') };
  return { orderId, charge, undo };
}

type Answer = Extract<PaymentEvent, { type: 'SagaReplyRequested' }>['data'];

/** Returns all answers to a step so far. */
export const answersTo = async ({ data }: StepCommand): Promise<readonly Answer[]> =>
  (await world.events({ aggregate: 'Payment', id: data.orderId, types: ['SagaReplyRequested'] }))
    .map((event) => event.data as Answer)
    .filter(({ stepId }) => stepId === data.stepId);

/** Sends a step, and waits until it has one more answer. The answer may come with a later message. */
export async function answered(command: StepCommand): Promise<Answer> {
  const { length } = await answersTo(command);
  await world.publish(toPayments(command));
  return world.eventually(`${command.data.stepId} is answered`, async () => {
    const answer = (await answersTo(command))[length];
    if (!answer) throw new Error('not yet');
    return answer;
  });
}
