import type { Money } from '../../orders/contract.js';
import type { DeclineReason } from '../contract.js';

/** What came of a charge. */
export type Charge = { readonly status: 'CHARGED' } | { readonly status: 'DECLINED'; readonly reason: DeclineReason };

/** What came of a refund. */
export interface Refund {
  readonly status: 'REFUNDED' | 'FAILED';
}

/** How long a provider remembers a key, in seconds: Stripe's 24 hours ("Idempotent requests"). */
export const KEY_MEMORY_SECONDS = 24 * 3600;

/**
 * Who moves the money. The promise: the same key within `KEY_MEMORY_SECONDS` has one effect and one answer, and what was
 * done can be asked for at any time, by the object's id. More isn't promised by anybody; the rest is the caller's
 * (`once-at-provider.ts`).
 */
export interface PaymentProvider {
  /**
   * Makes an object that can be charged; nothing is charged yet. An object that is made twice does no harm: only the one
   * whose id is committed is ever charged.
   * @returns its id
   * @throws {ProviderRefused} {@link ProviderUnavailable} {@link ProviderUndecided} {@link AccountAmbiguous}
   */
  create(wanted: {
    readonly key: string;
    readonly paymentId: string;
    readonly accountId: string;
    readonly amount: Money;
  }): Promise<string>;
  /** Charges an object. @throws {ProviderRefused} {@link ProviderUnavailable} {@link ProviderUndecided} */
  confirm(wanted: { readonly key: string; readonly providerId: string }): Promise<Charge>;
  /**
   * Ends an object that isn't charged yet: it never is. Of this and a charge under way one is first, and refuses the other.
   * @returns that it is declined
   * @throws {ProviderRefused} it was charged, declined or ended before; {@link ProviderUnavailable} {@link ProviderUndecided}
   */
  cancel(wanted: { readonly key: string; readonly providerId: string }): Promise<Charge>;
  /** What came of an object's charge; nothing where it was never charged or ended. @throws {ProviderUnavailable} also while it works on it */
  chargeOf(providerId: string): Promise<Charge | undefined>;
  /**
   * Gives back a part of what was charged, never more than is left of it.
   * @throws {ProviderRefused} {@link ProviderUnavailable} {@link ProviderUndecided}
   */
  refund(wanted: {
    readonly key: string;
    readonly providerId: string;
    readonly refundId: string;
    readonly amount: Money;
  }): Promise<Refund>;
  /** What came of a refund; nothing where there is none of that id. @throws {ProviderUnavailable} */
  refundOf(providerId: string, refundId: string): Promise<Refund | undefined>;
}

/** No answer, or none worth keeping (a timeout, a throttle, a lost connection): the same key may be tried again. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
  constructor(
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(code, options);
  }
}

/**
 * An answer that says nothing and stays (a stored 5xx, a charge that it still works on, a key that another request came
 * under): under this key there is never another one, and only what the provider did tells whether it did it.
 */
export class ProviderUndecided extends Error {
  override readonly name = 'ProviderUndecided';
  constructor(
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(code, options);
  }
}

/** The provider won't, whatever the key: nothing was done. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused';
  constructor(
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(code, options);
  }
}

/**
 * Several of the provider's customers may be this account: nobody is charged until an operator has mended that there. A
 * decline would be wrong, since the customer's card is right and another one would help nobody.
 */
export class AccountAmbiguous extends Error {
  override readonly name = 'AccountAmbiguous';
  constructor(readonly code: 'SEVERAL_CUSTOMERS' | 'TOO_MANY_ALIKE') {
    super(code);
  }
}
