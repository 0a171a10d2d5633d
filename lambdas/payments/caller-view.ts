import type { Loaded } from '@orderly/kit/event-store';
import type { Caller } from '@orderly/kit/http';
import { aggregateKey } from '@orderly/kit/messages';
import { openFields, type PersonalKeys } from '@orderly/kit/personal-data';
import type { Role } from '../app.js';
import { type PaymentView, paymentsContract } from './contract.js';
import { isRequested, type Payment } from './domain/payment.js';
import { PAYMENT } from './keys.js';
import { requireVisible } from './payment-store.js';

/**
 * Returns the payment with its unsealed data, as its owner or an operator may see it.
 * @throws {Problem} 404, as {@link requireVisible}
 */
export async function viewForCaller(
  personalKeys: PersonalKeys,
  caller: Caller<Role>,
  loaded: Loaded<Payment>,
): Promise<PaymentView> {
  const view = requireVisible(caller, loaded);
  const sealed = isRequested(loaded.state) ? loaded.state.sealedReference : undefined;
  const fields = {
    aggregate: aggregateKey(PAYMENT, view.paymentId),
    sealed: sealed ? { sealedReference: sealed } : {},
  };
  const [data] = await openFields(personalKeys, paymentsContract, view.customerId, [fields]);
  return { ...view, ...data };
}
