import { findBehaviour } from '../../../lambdas/payments/provider/sandbox-amounts.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { ThirdParty } from '../../../packages/simulator/cloud/outside-hosts.js';
import type { HttpRequest, HttpResponse } from '../../../packages/simulator/runtime/http.js';
import type { Row } from './orderly.js';

/** Host of its API. */
export const STRIPE = 'api.stripe.com';

const SECOND = 1_000;
/** A key is forgotten as early as Stripe may forget it ("Idempotent requests"). */
const KEY_MEMORY = 24 * 3_600 * SECOND;
/** A search may not know what the last minute created ("Search", data freshness). */
const SEARCH_LAG = 60 * SECOND;
/** "Search", rate limits; "Rate limits" for everything else. */
const SEARCHES_A_SECOND = 20;
const REQUESTS_A_SECOND = 100;
/** A charge that answers late is decided after this time. */
const PROCESSING = 10 * SECOND;
/** A request whose response gets lost takes this time, longer than our client waits. */
const UNDER_WAY = 15 * SECOND;

interface Customer {
  readonly id: string;
  readonly account: string;
  readonly method: string | null;
  readonly at: number;
}

interface Intent {
  readonly id: string;
  readonly paymentId: string;
  readonly amount: number;
  readonly currency: string;
  status: 'requires_confirmation' | 'requires_payment_method' | 'succeeded' | 'canceled';
  /** Until then its status is `processing`. */
  settlesAt: number;
  /** Until then a request is under way: nobody sees what it does, and no other one gets at it. */
  busyUntil: number;
  charges: number;
  readonly refunds: { readonly id: string; readonly refundId: string; readonly amount: number }[];
}

/** Response to a request, and whether it gets lost on its way the first time. */
interface Done {
  readonly status: number;
  readonly body: object;
  readonly lost?: boolean;
}

/**
 * Model of Stripe, as far as our adapter asks for it: PaymentIntents, refunds and customers, with idempotency keys, a search
 * that ignores case and lags, and rate limits. An amount behaves as at the sandbox (`sandbox-amounts.ts`), so scenarios play
 * with either provider.
 *
 * Sources: Stripe's API reference, "Idempotent requests", "PaymentIntents", "Refunds"; guides "Search", "Rate limits",
 * "Advanced error handling".
 */
export class Stripe implements ThirdParty {
  private readonly customers: Customer[] = [];
  private readonly intents = new Map<string, Intent>();
  private readonly keys = new Map<string, { readonly at: number; readonly request: string; readonly done: Done }>();
  private readonly asked: number[] = [];
  private readonly searched: number[] = [];
  private made = 0;

  private constructor(private readonly now: () => number) {}

  /** Puts a Stripe with customers of these accounts into a cloud, and the secret key that its functions read. */
  static at(cloud: Cloud, accounts: readonly string[]): Stripe {
    const stripe = new Stripe(() => cloud.world.now);
    for (const account of accounts) {
      // A search finds the other one too, whose card must never pay.
      stripe.add(account.toUpperCase(), 'pm_other');
      stripe.add(account, 'pm_card');
    }
    cloud.thirdParties.add(STRIPE, stripe);
    const secret = { Name: '/orderly/prod/stripe-secret-key', Type: 'SecureString', Value: 'sk_test_simulated' };
    cloud.parameters.operations.PutParameter?.(secret);
    return stripe;
  }

  /** Effects by payment, as the sandbox counts its own. */
  get tallies(): ReadonlyMap<string, Row> {
    const tallies = new Map<string, Row>();
    for (const { paymentId, amount, charges, refunds } of this.intents.values()) {
      const { charges: before = 0, chargeSum = 0, refunds: given = 0, refundSum = 0 } = tallies.get(paymentId) ?? {};
      if (charges === 0 && refunds.length === 0) continue;
      tallies.set(paymentId, {
        charges: Number(before) + charges,
        chargeSum: Number(chargeSum) + charges * amount,
        refunds: Number(given) + refunds.length,
        refundSum: Number(refundSum) + refunds.reduce((sum, refund) => sum + refund.amount, 0),
      });
    }
    return new Map([...tallies].map(([id, tally]) => [`TALLY#${id}`, tally]));
  }

  answer(http: HttpRequest): HttpResponse | undefined {
    if (this.isTooMany(this.asked, REQUESTS_A_SECOND)) return this.refuse();
    const url = new URL(http.path, `https://${STRIPE}`);
    const form = new URLSearchParams(http.body);
    if (http.method === 'GET') return said(this.read(url));
    const key = http.headers['idempotency-key'] ?? '';
    const request = `${url.pathname} ${http.body}`;
    const before = this.keys.get(key);
    if (before && before.at > this.now() - KEY_MEMORY) {
      const isUnderWay = before.done.lost === true && before.at > this.now() - UNDER_WAY;
      if (before.request === request) return said(isUnderWay ? KEY_IN_USE : before.done);
      return said(wrong(400, { type: 'idempotency_error', message: 'Keys can only be used with the same parameters' }));
    }
    const done = this.write(url.pathname, form, key);
    // The response to a request that meets another one is not kept ("Idempotent requests").
    if (done !== LOCKED) this.keys.set(key, { at: this.now(), request, done });
    return done.lost ? undefined : said(done);
  }

  refuse(): HttpResponse {
    return said(wrong(429, { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests' }));
  }

  private add(account: string, method: string): void {
    this.customers.push({ id: this.newId('cus'), account, method, at: this.now() - 2 * SEARCH_LAG });
  }

  private newId(prefix: string): string {
    return `${prefix}_${++this.made}`;
  }

  private isTooMany(times: number[], most: number): boolean {
    const since = this.now() - SECOND;
    while (times[0] !== undefined && times[0] <= since) times.shift();
    times.push(this.now());
    return times.length > most;
  }

  private read({ pathname, searchParams }: URL): Done {
    const [, kind = '', id] = /^\/v1\/(\w+)(?:\/(\w+))?$/.exec(pathname) ?? [];
    if (kind === 'payment_intents' && id) {
      const intent = this.intents.get(id);
      return intent ? okAnswer(this.shown(intent)) : missing(id);
    }
    if (kind === 'refunds') {
      const intent = this.intents.get(searchParams.get('payment_intent') ?? '');
      const refunds = intent?.refunds.slice(0, this.isBusy(intent) ? -1 : undefined) ?? [];
      return okAnswer({ object: 'list', has_more: false, data: refunds.map(refundShown) });
    }
    if (kind !== 'customers') throw new Error(`the model of Stripe has no GET ${pathname}`);
    if (id === 'search') return this.search(searchParams.get('query') ?? '');
    if (!id) return okAnswer({ object: 'list', has_more: false, data: this.customers.toReversed().map(customerShown) });
    const customer = this.customers.find((one) => one.id === id);
    return customer ? okAnswer(customerShown(customer)) : missing(id);
  }

  private search(query: string): Done {
    if (this.isTooMany(this.searched, SEARCHES_A_SECOND))
      return wrong(429, { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many searches' });
    const [, text = '""'] = /^metadata\['orderly_account'\]:(".*")$/.exec(query) ?? [];
    const wanted = String(JSON.parse(text)).toLowerCase();
    const known = this.customers.filter(({ at }) => at <= this.now() - SEARCH_LAG);
    const found = known.filter(({ account }) => account.toLowerCase() === wanted);
    return okAnswer({ object: 'search_result', has_more: false, data: found.map(customerShown) });
  }

  private write(path: string, form: URLSearchParams, key: string): Done {
    if (path === '/v1/payment_intents') return this.create(form);
    if (path === '/v1/refunds') return this.refund(form, key);
    const [, id = '', action] = /^\/v1\/payment_intents\/(\w+)\/(confirm|cancel)$/.exec(path) ?? [];
    const intent = this.intents.get(id);
    if (!action) throw new Error(`the model of Stripe has no POST ${path}`);
    if (!intent) return missing(id);
    if (this.isBusy(intent)) return LOCKED;
    if (this.statusOf(intent) !== 'requires_confirmation') return unexpectedState(this.statusOf(intent));
    if (action === 'confirm') return this.confirm(intent, key);
    intent.status = 'canceled';
    return okAnswer(this.shown(intent));
  }

  private create(form: URLSearchParams): Done {
    const intent: Intent = {
      id: this.newId('pi'),
      paymentId: form.get('metadata[orderly_payment]') ?? '',
      amount: Number(form.get('amount')),
      currency: form.get('currency') ?? '',
      status: 'requires_confirmation',
      settlesAt: 0,
      busyUntil: 0,
      charges: 0,
      refunds: [],
    };
    // Whoever pays is decided here: the card of another account would be a charge that nobody requested.
    if (form.get('payment_method') !== 'pm_card') throw new Error(`${form.get('payment_method')} is another account's`);
    this.intents.set(intent.id, intent);
    if (form.get('expand[0]') !== 'payment_method') throw new Error('the payment method is not expanded');
    const fingerprint = findBehaviour(intent.amount) === 'charges another method' ? 'fp_other' : 'fp_card';
    return okAnswer({ ...this.shown(intent), payment_method: { id: 'pm_card', type: 'card', card: { fingerprint } } });
  }

  private confirm(intent: Intent, key: string): Done {
    const behaviour = findBehaviour(intent.amount);
    if (behaviour === 'always fails' || (behaviour === 'fails once' && isFirstKey(key))) return failed();
    if (behaviour === 'declines') {
      intent.status = 'requires_payment_method';
      return wrong(402, { ...DECLINED, payment_intent: this.shown(intent) });
    }
    intent.status = 'succeeded';
    intent.charges++;
    if (behaviour === 'answers late') intent.settlesAt = this.now() + PROCESSING;
    if (behaviour === 'fails after it is done') return failed();
    const done = okAnswer(this.shown(intent));
    return behaviour === 'times out' ? this.lost(intent, done) : done;
  }

  private refund(form: URLSearchParams, key: string): Done {
    const intent = this.intents.get(form.get('payment_intent') ?? '');
    if (!intent) return missing(form.get('payment_intent') ?? '');
    if (this.isBusy(intent)) return LOCKED;
    if (this.statusOf(intent) !== 'succeeded') return unexpectedState(this.statusOf(intent));
    const amount = Number(form.get('amount'));
    const given = intent.refunds.reduce((sum, refund) => sum + refund.amount, 0);
    if (given + amount > intent.amount)
      return wrong(400, { type: 'invalid_request_error', code: 'amount_too_large', message: 'more than is left' });
    const behaviour = findBehaviour(amount);
    if (behaviour === 'gives nothing back')
      return wrong(400, { type: 'invalid_request_error', code: 'charge_not_refundable', message: 'the card is gone' });
    if (behaviour === 'always fails' || (behaviour === 'fails once' && isFirstKey(key))) return failed();
    const refund = { id: this.newId('re'), refundId: form.get('metadata[orderly_refund]') ?? '', amount };
    intent.refunds.push(refund);
    if (behaviour === 'fails after it is done') return failed();
    const done = okAnswer(refundShown(refund));
    return behaviour === 'times out' ? this.lost(intent, done) : done;
  }

  private lost(intent: Intent, done: Done): Done {
    intent.busyUntil = this.now() + UNDER_WAY;
    return { ...done, lost: true };
  }

  private isBusy({ busyUntil }: Intent): boolean {
    return busyUntil > this.now();
  }

  private statusOf(intent: Intent): string {
    const { status, settlesAt, refunds } = intent;
    if (this.isBusy(intent) && refunds.length === 0) return 'requires_confirmation';
    return settlesAt > this.now() ? 'processing' : status;
  }

  private shown(intent: Intent): object {
    const { id, amount, currency, charges } = intent;
    const status = this.statusOf(intent);
    // Stripe's fee for European cards: 1.5 % and 0.25.
    const charge = {
      object: 'charge',
      balance_transaction: { object: 'balance_transaction', fee: Math.round(amount * 0.015) + 25, currency },
    };
    return {
      id,
      object: 'payment_intent',
      amount,
      currency,
      status,
      last_payment_error: status === 'requires_payment_method' ? DECLINED : null,
      latest_charge: charges > 0 ? charge : null,
    };
  }
}

const DECLINED = { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds', message: 'declined' };

const isFirstKey = (key: string): boolean => !/:\d+$/.test(key);

const customerShown = ({ id, account, method }: Customer): object => ({
  id,
  object: 'customer',
  metadata: { orderly_account: account },
  invoice_settings: { default_payment_method: method },
});

const refundShown = ({ id, refundId }: Intent['refunds'][number]): object => ({
  id,
  object: 'refund',
  status: 'succeeded',
  metadata: { orderly_refund: refundId },
});

const okAnswer = (body: object): Done => ({ status: 200, body });
const wrong = (status: number, error: object): Done => ({ status, body: { error } });
/** The first request with this key has not ended ("Error codes": `idempotency_key_in_use`). */
const KEY_IN_USE = wrong(409, {
  type: 'idempotency_error',
  code: 'idempotency_key_in_use',
  message: 'try again later',
});
/** Another request has the object ("Object lock timeouts"). */
const LOCKED = wrong(429, { type: 'invalid_request_error', code: 'lock_timeout', message: 'it is in use' });
const failed = (): Done => wrong(500, { type: 'api_error', message: 'an error on our side' });
const missing = (id: string): Done =>
  wrong(404, { type: 'invalid_request_error', code: 'resource_missing', message: `no such object: ${id}` });
const unexpectedState = (status: string): Done =>
  wrong(400, { type: 'invalid_request_error', code: 'payment_intent_unexpected_state', message: `it is ${status}` });

const said = ({ status, body }: Done): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'request-id': 'req_simulated' },
  body: JSON.stringify(body),
});
