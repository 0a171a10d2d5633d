import Stripe from 'stripe';
import { CHARGE_LIMITS } from '../../charge-limits.js';
import type { Money } from '../../orders/contract.js';
import type { DeclineReason } from '../contract.js';
import {
  AccountAmbiguous,
  type Charge,
  type PaymentProvider,
  type Prepared,
  ProviderRefused,
  ProviderUnavailable,
  ProviderUndecided,
  type Refund,
} from './payment-provider.js';
import type { StripeCustomers } from './stripe-customers.js';

/** Metadata keys by which our objects are found at Stripe. */
const ACCOUNT = 'orderly_account';
const PAYMENT = 'orderly_payment';
const REFUND = 'orderly_refund';

/**
 * The function has 30 s (`lib/payments-stack.ts`). Creating a payment usually takes two calls, three for a new
 * customer, and four if the stored customer can no longer pay.
 */
const TIMEOUT_MS = 5_000;
/** Refunds of one page, Stripe's maximum. */
const MAX_REFUNDS = 100;
/** Maximum that one list or search returns. */
const MAX_CUSTOMERS = 100;

/**
 * Currencies whose unit at Stripe differs. Our amounts are in the minor unit of ISO 4217, and so are Stripe's except in
 * these ("Supported currencies"): two decimals where ISO has none (ISK, UGX), none where ISO has two (MGA). HUF and TWD
 * differ only in payouts.
 */
const IN_ANOTHER_UNIT: ReadonlySet<string> = new Set(CHARGE_LIMITS.inAnotherUnit);

/** Member of a PaymentIntent that has the fee, so that it comes with the answer. */
const FEE = ['latest_charge.balance_transaction'];

/** Member of a PaymentIntent that has the card's fingerprint, so that it comes with the answer. */
const METHOD = ['payment_method'];

/** Address of Stripe. @default Stripe itself; a test uses a mock */
export type StripeAddress = Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol'>;

/**
 * Stripe as a provider, by PaymentIntents: they are created unconfirmed, confirmed by id, and found by their metadata.
 * A charge is "off session", so a charge that needs the customer's presence is declined.
 *
 * An account is the Stripe customer whose metadata contains exactly its `orderly_account`. The charge uses the
 * customer's default payment method.
 */
export class StripeProvider implements PaymentProvider {
  private client: Promise<Stripe> | undefined;

  /** @param secret reads the API key; it is called again after Stripe has refused the key, so the key may be rotated */
  constructor(
    private readonly secret: () => Promise<string>,
    private readonly customers: StripeCustomers,
    private readonly address: StripeAddress = {},
  ) {}

  async create({ key, paymentId, accountId, amount }: Parameters<PaymentProvider['create']>[0]): Promise<Prepared> {
    // The charge would be a hundredth of the amount, or a hundred times the amount.
    if (IN_ANOTHER_UNIT.has(amount.currency)) throw new ProviderRefused('CURRENCY_IN_ANOTHER_UNIT');
    const payer = await this.resolvePayer(accountId);
    const intent = await this.call((stripe) =>
      stripe.paymentIntents.create(
        {
          amount: amount.amount,
          currency: amount.currency.toLowerCase(),
          ...payer,
          // Captured within the confirmation, so that its answer has the fee ("Asynchronous capture"). No customer waits.
          capture_method: 'automatic',
          automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
          metadata: { [PAYMENT]: paymentId },
          expand: METHOD,
        },
        { idempotencyKey: key },
      ),
    );
    return { providerId: intent.id, ...readMethod(intent) };
  }

  async confirm({ key, providerId }: Parameters<PaymentProvider['confirm']>[0]): Promise<Charge> {
    try {
      const intent = await this.call((stripe) =>
        stripe.paymentIntents.confirm(
          providerId,
          { off_session: true, error_on_requires_action: true, expand: FEE },
          { idempotencyKey: key },
        ),
      );
      const charge = toCharge(intent);
      if (charge) return charge;
    } catch (error) {
      const card = error instanceof ProviderRefused && error.cause instanceof Stripe.errors.StripeCardError;
      if (card) return { status: 'DECLINED', reason: toDeclineReason(error.cause as Stripe.errors.StripeCardError) };
      throw error;
    }
    throw new ProviderUndecided('PROCESSING');
  }

  async cancel({ key, providerId }: Parameters<PaymentProvider['cancel']>[0]): Promise<Charge> {
    const intent = await this.call((stripe) => stripe.paymentIntents.cancel(providerId, {}, { idempotencyKey: key }));
    const charge = toCharge(intent);
    if (charge) return charge;
    throw new ProviderUndecided('PROCESSING');
  }

  async findCharge(providerId: string): Promise<Charge | undefined> {
    const intent = await this.call((stripe) => stripe.paymentIntents.retrieve(providerId, { expand: FEE }));
    if (intent.status === 'processing') throw new ProviderUnavailable('PROCESSING');
    return toCharge(intent);
  }

  async refund({ key, providerId, refundId, amount }: Parameters<PaymentProvider['refund']>[0]): Promise<Refund> {
    const refund = await this.call((stripe) =>
      stripe.refunds.create(
        { payment_intent: providerId, amount: amount.amount, metadata: { [REFUND]: refundId } },
        { idempotencyKey: key },
      ),
    );
    return toRefund(refund);
  }

  async findRefund(providerId: string, refundId: string): Promise<Refund | undefined> {
    for (let after: string | undefined; ; ) {
      const page = {
        payment_intent: providerId,
        limit: MAX_REFUNDS,
        ...(after !== undefined && { starting_after: after }),
      };
      const { data, has_more } = await this.call((stripe) => stripe.refunds.list(page));
      const found = data.find(({ metadata }) => metadata?.[REFUND] === refundId);
      if (found) return toRefund(found);
      // Operators may have made more refunds at Stripe than a page has.
      after = data.at(-1)?.id;
      if (!has_more || after === undefined) return undefined;
    }
  }

  /**
   * Returns the customer who pays for an account. It is the stored one, unless Stripe reports that it was deleted,
   * belongs to another account now or has no payment method any more; otherwise it searches. A read by id is always
   * current and falls under Stripe's general rate limit, whereas all searches of the shop together are limited to 20 a
   * second ("Search", rate limits).
   * @throws {ProviderRefused} `NO_PAYMENT_METHOD` {@link AccountAmbiguous}
   */
  private async resolvePayer(accountId: string): Promise<Payer> {
    const kept = await this.customers.find(accountId);
    const paying = kept === undefined ? undefined : await this.recheckPayer(kept, accountId);
    if (paying) return paying;
    const found = await this.findPayer(accountId);
    await this.customers.store(accountId, found.customer, kept);
    return found;
  }

  private async recheckPayer(id: string, accountId: string): Promise<Payer | undefined> {
    try {
      return selectPayer([await this.call((stripe) => stripe.customers.retrieve(id))], accountId);
    } catch (error) {
      if (error instanceof ProviderRefused && error.code === 'resource_missing') return undefined;
      throw error;
    }
  }

  private async findPayer(accountId: string): Promise<Payer> {
    const query = `metadata['${ACCOUNT}']:${JSON.stringify(accountId)}`;
    const searched = await this.call((stripe) => stripe.customers.search({ query, limit: MAX_CUSTOMERS }));
    // A search ignores case ("Search query language"), so most of these many results belong to other accounts. Ours may
    // be on a later page.
    if (searched.has_more) throw new AccountAmbiguous('TOO_MANY_ALIKE');
    const found = selectPayer(searched.data, accountId);
    if (found) return found;
    // A search may miss customers of the last minute; a list, newest first, doesn't (Stripe's guide, "Search").
    const newest = await this.call((stripe) => stripe.customers.list({ limit: MAX_CUSTOMERS }));
    const created = selectPayer(newest.data, accountId);
    if (!created) throw new ProviderRefused('NO_PAYMENT_METHOD');
    return created;
  }

  private async call<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    this.client ??= this.secret().then(
      (secret) =>
        // The queue does the retries, so each one is an attempt under the rules of `once-at-provider.ts`. (The SDK
        // still retries a closed connection once, under the same key.)
        new Stripe(secret, { maxNetworkRetries: 0, timeout: TIMEOUT_MS, telemetry: false, ...this.address }),
    );
    try {
      return await work(await this.client);
    } catch (error) {
      const isStripes = error instanceof Stripe.errors.StripeError;
      if (!isStripes || error.statusCode === 401) this.client = undefined;
      throw isStripes ? toProviderError(error) : error;
    }
  }
}

/**
 * Translates an error of Stripe. According to Stripe's guide, "Advanced error handling", a 4xx changed nothing; a 5xx
 * may have, and stays under its key.
 */
function toProviderError(error: Stripe.errors.StripeError): Error {
  const { statusCode = 0, code = error.type } = error;
  // Two errors that aren't about this request: another request used the same key, or a system behind Stripe failed.
  const keyIsTaken = error instanceof Stripe.errors.StripeIdempotencyError;
  if (keyIsTaken || statusCode === 424 || statusCode >= 500) return new ProviderUndecided('FAILED', { cause: error });
  // 429 (`rate_limit`, `lock_timeout`), and 400 if its code is `rate_limit`.
  const isThrottled = error instanceof Stripe.errors.StripeRateLimitError;
  // No answer at all, a refused API key, or a request with the same key in progress.
  if (isThrottled || [0, 401, 403, 409].includes(statusCode)) return new ProviderUnavailable(code, { cause: error });
  return new ProviderRefused(code, { cause: error });
}

/** A customer at Stripe and its payment method. */
interface Payer {
  readonly customer: string;
  readonly payment_method: string;
}

/**
 * Picks the customer that is this account and can pay; `undefined` if none is.
 * @throws {AccountAmbiguous} several match, and it is unknown whose card the shop means
 */
function selectPayer(
  customers: readonly (Stripe.Customer | Stripe.DeletedCustomer)[],
  accountId: string,
): Payer | undefined {
  const [payer, ...others] = customers.flatMap((customer): readonly Payer[] => {
    if (customer.deleted || customer.metadata[ACCOUNT] !== accountId) return [];
    const method = customer.invoice_settings.default_payment_method;
    if (!method) return [];
    return [{ customer: customer.id, payment_method: typeof method === 'string' ? method : method.id }];
  });
  if (others.length > 0) throw new AccountAmbiguous('SEVERAL_CUSTOMERS');
  return payer;
}

/**
 * Returns the fingerprint of the card, or of the account of a direct debit; the id of a payment method of another type;
 * nothing if the answer doesn't tell. Nothing about a payment method may keep a payment from being charged.
 */
function readMethod({ payment_method: method }: Stripe.PaymentIntent): Pick<Prepared, 'method'> {
  if (!method || typeof method === 'string') return {};
  // Every type that has a fingerprint has it in the member of its name.
  const details = method[method.type as 'card'];
  return { method: details?.fingerprint ?? method.id };
}

/** Returns the outcome of a PaymentIntent's charge; `undefined` while it is not confirmed or still in progress. */
function toCharge(intent: Stripe.PaymentIntent): Charge | undefined {
  const { status, last_payment_error: error } = intent;
  if (status === 'succeeded') return { status: 'CHARGED', ...readFee(intent) };
  if (status === 'canceled') return { status: 'DECLINED', reason: 'REFUSED_BY_PROVIDER' };
  return error ? { status: 'DECLINED', reason: toDeclineReason(error) } : undefined;
}

/**
 * Returns the fee in the currency in which Stripe pays out; nothing if it is not known yet, or is in another unit. Nothing
 * about a fee may keep a charge from being committed.
 */
function readFee({ latest_charge: charge }: Stripe.PaymentIntent): { readonly fee?: Money } {
  const transaction = charge && typeof charge === 'object' ? charge.balance_transaction : undefined;
  if (!transaction || typeof transaction !== 'object') return {};
  const [amount, currency] = [transaction.fee, transaction.currency.toUpperCase()];
  const isKnown = Number.isSafeInteger(amount) && amount >= 0 && !IN_ANOTHER_UNIT.has(currency);
  return isKnown ? { fee: { amount, currency } } : {};
}

/**
 * Treats a refund that Stripe has accepted and not made yet as made: Stripe has already subtracted it from the amount
 * that can be refunded.
 */
const toRefund = ({ status }: Stripe.Refund): Refund => ({
  status: status === 'failed' || status === 'canceled' ? 'FAILED' : 'REFUNDED',
});

function toDeclineReason({ code, decline_code: decline }: { code?: string; decline_code?: string }): DeclineReason {
  switch (decline ?? code) {
    case 'insufficient_funds':
      return 'INSUFFICIENT_FUNDS';
    case 'expired_card':
      return 'CARD_EXPIRED';
    case 'authentication_required':
      return 'AUTHENTICATION_REQUIRED';
    default:
      return 'CARD_DECLINED';
  }
}
