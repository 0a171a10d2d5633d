import type { Random } from '../../../packages/simulator/engine/random.js';
import type { Call, Orderly } from '../../support/simulation/orderly.js';
import { cancellationOf } from './shop.js';

/** A customer who owns nothing. */
const STRANGER = 'mallory';

/**
 * A stranger who knows the ids and the keys of others, and acts on what is theirs at a random moment. The invariants in
 * `strangers.ts` check that it has no effect.
 */
export class Stranger {
  private readonly random: Random;

  constructor(private readonly orderly: Orderly) {
    this.random = orderly.cloud.world.random.fork('strangers');
  }

  /** Tries to cancel an order. @param within milliseconds in which the request begins @param key the owner's */
  cancels(orderId: unknown, within: number, key = 'cancel'): void {
    this.later(within, cancellationOf(STRANGER, orderId, key));
  }

  /** Tries one of the things that nobody but an order's owner or an operator may do. */
  meddles(orderId: unknown, within: number): void {
    const [order, payment] = [`/orders/${String(orderId)}`, `/payments/${String(orderId)}`];
    const calls: readonly Call[] = [
      cancellationOf(STRANGER, orderId, 'cancel'),
      { method: 'POST', path: `${order}/dispatch`, as: STRANGER, key: 'dispatch' },
      { method: 'POST', path: `${payment}/refund`, as: STRANGER, key: 'one', body: {} },
      { method: 'GET', path: `${order}/history`, as: STRANGER },
      { method: 'GET', path: payment, as: STRANGER },
    ];
    this.later(within, this.random.pick(calls));
  }

  /** Tries to pay from another customer's account, by the key of their payment. */
  pays(accountId: string, key: string, within: number): void {
    const body = { accountId, amount: { amount: 1000, currency: 'EUR' } };
    this.later(within, { method: 'POST', path: '/payments', as: STRANGER, key, body });
  }

  /** Tries to get another customer's payment refunded. */
  refunds(paymentId: unknown, key: string, within: number): void {
    this.later(within, { method: 'POST', path: `/payments/${String(paymentId)}/refund`, as: STRANGER, key, body: {} });
  }

  private later(within: number, call: Call): void {
    this.orderly.cloud.world.after(this.random.between(0, within), () => this.orderly.begin(call));
  }
}
