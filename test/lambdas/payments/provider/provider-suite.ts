import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { PaymentProvider } from '../../../../lambdas/payments/provider/payment-provider.js';

export const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** Promises of every provider (`payment-provider.ts`), as far as they can be seen from outside. */
export function providerSuite(name: string, provider: () => PaymentProvider): void {
  const newPayment = (amount = 1000) => ({ paymentId: randomUUID(), accountId: 'bob', amount: eur(amount) });
  const created = (payment: ReturnType<typeof newPayment>) =>
    provider().create({ ...payment, key: `${payment.paymentId}:create` });
  async function charged(amount?: number) {
    const payment = newPayment(amount);
    const { providerId } = await created(payment);
    await provider().confirm({ key: `${payment.paymentId}:charge`, providerId });
    return { ...payment, providerId };
  }

  describe(name, () => {
    test('makes one object a key, and charges nothing yet', async () => {
      const payment = newPayment();
      const { providerId } = await created(payment);
      expect((await created(payment)).providerId).toBe(providerId);
      expect(await provider().findCharge(providerId)).toBeUndefined();
    });

    test('names the payment method of an account, the same at each payment and at each repeat', async () => {
      const [one, other] = [newPayment(), newPayment()];
      const { method } = await created(one);
      expect(method).toEqual(expect.any(String));
      expect((await created(one)).method).toBe(method);
      expect((await created(other)).method).toBe(method);
    });

    test('charges an object, and says so whenever it is asked', async () => {
      const payment = newPayment();
      const { providerId } = await created(payment);
      const confirm = () => provider().confirm({ key: `${payment.paymentId}:charge`, providerId });
      expect(await confirm()).toEqual({ status: 'CHARGED' });
      expect(await confirm()).toEqual({ status: 'CHARGED' });
      expect(await provider().findCharge(providerId)).toEqual({ status: 'CHARGED' });
    });

    test('charges no object twice, under whatever key', async () => {
      const { providerId } = await charged();
      await expect(provider().confirm({ key: randomUUID(), providerId })).rejects.toMatchObject({
        name: 'ProviderRefused',
      });
    });

    test('cancels an object that is not charged, which never is any more', async () => {
      const payment = newPayment();
      const { providerId } = await created(payment);
      const cancel = () => provider().cancel({ key: `${payment.paymentId}:cancel`, providerId });
      const cancelled = { status: 'DECLINED', reason: 'REFUSED_BY_PROVIDER' };
      expect(await cancel()).toEqual(cancelled);
      expect(await cancel()).toEqual(cancelled);
      await expect(provider().confirm({ key: randomUUID(), providerId })).rejects.toMatchObject({
        name: 'ProviderRefused',
      });
      expect(await provider().findCharge(providerId)).toEqual(cancelled);
    });

    test('cancels nothing that was charged', async () => {
      const { providerId } = await charged();
      await expect(provider().cancel({ key: randomUUID(), providerId })).rejects.toMatchObject({
        name: 'ProviderRefused',
      });
      expect(await provider().findCharge(providerId)).toEqual({ status: 'CHARGED' });
    });

    test('takes a key for one request', async () => {
      const [one, other] = [await charged(), newPayment()];
      await expect(provider().create({ ...other, key: `${one.paymentId}:create` })).rejects.toMatchObject({
        name: 'ProviderUndecided',
      });
    });

    test('gives back in parts, each once a key, never more than was charged', async () => {
      const { providerId } = await charged(1000);
      const refund = (refundId: string, amount: number) =>
        provider().refund({ key: `${providerId}:${refundId}`, providerId, refundId, amount: eur(amount) });
      expect(await provider().findRefund(providerId, 'r1')).toBeUndefined();
      expect(await refund('r1', 600)).toEqual({ status: 'REFUNDED' });
      expect(await refund('r1', 600)).toEqual({ status: 'REFUNDED' });
      expect(await provider().findRefund(providerId, 'r1')).toEqual({ status: 'REFUNDED' });
      await expect(refund('r2', 401)).rejects.toMatchObject({ name: 'ProviderRefused' });
      expect(await refund('r3', 400)).toEqual({ status: 'REFUNDED' });
    });

    test('gives nothing back that was not charged', async () => {
      const { providerId } = await created(newPayment());
      const refund = provider().refund({ key: randomUUID(), providerId, refundId: 'r', amount: eur(1) });
      await expect(refund).rejects.toMatchObject({ name: 'ProviderRefused' });
    });
  });
}
