import type { Money } from '../../orders/contract.js';
import type { DeclineReason } from '../contract.js';

/** Outcome of a charge, with the provider's fee if it is known already. */
export type Charge =
  | { readonly status: 'CHARGED'; readonly fee?: Money }
  | { readonly status: 'DECLINED'; readonly reason: DeclineReason };

/** An object that can be charged. */
export interface Prepared {
  readonly providerId: string;
  /**
   * Identifies the payment method that will be charged, and stays the same if the customer saves the same card again.
   * Absent if the provider doesn't tell it.
   */
  readonly method?: string;
}

/** Outcome of a refund. */
export interface Refund {
  readonly status: 'REFUNDED' | 'FAILED';
}

/** Time for which a provider remembers an idempotency key, in seconds: Stripe's 24 hours ("Idempotent requests"). */
export const KEY_MEMORY_SECONDS = 24 * 3600;

/**
 * A provider that moves the money. It promises two things: the same key within `KEY_MEMORY_SECONDS` has one effect and
 * one answer, and its past effects can be queried at any time by the object's id. No provider promises more; the caller
 * ensures the rest (`once-at-provider.ts`).
 */
export interface PaymentProvider {
  /**
   * Creates an object that can be charged; nothing is charged yet. A second object does no harm, because only the one
   * whose id is committed is ever charged.
   * @throws {ProviderRefused} {@link ProviderUnavailable} {@link ProviderUndecided} {@link AccountAmbiguous}
   */
  create(wanted: {
    readonly key: string;
    readonly paymentId: string;
    readonly accountId: string;
    readonly amount: Money;
  }): Promise<Prepared>;
  /** Charges an object. @throws {ProviderRefused} {@link ProviderUnavailable} {@link ProviderUndecided} */
  confirm(wanted: { readonly key: string; readonly providerId: string }): Promise<Charge>;
  /**
   * Cancels an object that isn't charged yet, so that it never will be. If a charge is in progress, one of the two
   * comes first and refuses the other.
   * @returns that it is declined
   * @throws {ProviderRefused} it was charged, declined or cancelled before; {@link ProviderUnavailable}
   *   {@link ProviderUndecided}
   */
  cancel(wanted: { readonly key: string; readonly providerId: string }): Promise<Charge>;
  /**
   * Returns the outcome of an object's charge; `undefined` if it was never charged or cancelled.
   * @throws {ProviderUnavailable} also while the provider works on it
   */
  findCharge(providerId: string): Promise<Charge | undefined>;
  /**
   * Refunds a part of the charged amount, never more than is left of it.
   * @throws {ProviderRefused} {@link ProviderUnavailable} {@link ProviderUndecided}
   */
  refund(wanted: {
    readonly key: string;
    readonly providerId: string;
    readonly refundId: string;
    readonly amount: Money;
  }): Promise<Refund>;
  /** Returns the outcome of a refund; `undefined` if no refund has that id. @throws {ProviderUnavailable} */
  findRefund(providerId: string, refundId: string): Promise<Refund | undefined>;
}

/**
 * The provider gave no answer, or none that is final (a timeout, a throttle, a lost connection): retry with the same
 * key.
 */
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
 * The provider gave an answer that says nothing and is final (a stored 5xx, a charge that it still works on, a key that
 * another request used). This key will never get another answer; only a query for past effects tells whether the effect
 * happened.
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

/** The provider refuses under any key; it did nothing. */
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
 * Several of the provider's customers may be this account. None of them is charged until an operator has corrected this
 * at the provider. A decline would be wrong: the customer's card is fine, and another card would not help.
 */
export class AccountAmbiguous extends Error {
  override readonly name = 'AccountAmbiguous';
  constructor(readonly code: 'SEVERAL_CUSTOMERS' | 'TOO_MANY_ALIKE') {
    super(code);
  }
}
