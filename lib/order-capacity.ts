import { type EnvironmentSettings, SettingsError } from '@orderly/kit/constructs';

/** Consumers that process orders, and the limits of the routes that begin them. */
export interface OrderSettings {
  /** Maximum concurrent invocations of the consumer that leads the orders' sagas, 2 to 1,000. */
  readonly sagaConcurrency: number;
  /** Maximum concurrent invocations of the consumer that calls the payment provider, 2 to 1,000. */
  readonly providerConcurrency: number;
  /**
   * Orders per second, and the burst above that rate, of each route that begins orders: API Gateway counts every route by
   * itself. Requests above it get 429 with `Retry-After`.
   */
  readonly throttle: { readonly rate: number; readonly burst: number };
}

/** Routes that begin orders: `POST /orders` and `POST /basket/checkout`. */
const ROUTES = 2;
/** Messages of a batch, as the consumer's construct sets it. */
const BATCH = 10;

/**
 * Load of one order on a consumer: its number of messages, and the seconds in which one invocation handles a batch of ten.
 *
 * The saga receives `OrderPlaced` and four answers, and of some orders a timeout, a cancellation or compensations: 6. A message
 * is a query and a transaction, one after the other, 20 ms together; ten of them wait at once, but their code takes 5 ms of a
 * vCPU each, and a function of 512 MB has 0.29 of it (1,769 MB are one): 170 ms a batch, and 10 ms to begin and end it.
 *
 * A charge is one message, with two calls of the provider one after the other. Stripe takes 0.3 to 0.5 s for each.
 *
 * These are estimates. The statistic p50 of Lambda's `Duration` of full batches says what is true of a deployment.
 */
const NEEDS = {
  saga: { messages: 6, batchSeconds: 0.2 },
  provider: { messages: 1, batchSeconds: 1 },
};

/**
 * An account whose quota of AWS Lambda is 10 executions at once, as a new one's may be. All functions share them. An order takes
 * `orderSeconds` of execution where each of its messages is alone in its batch: a test adds them up from the counts of
 * `test/budget.json`. Three executions are for other requests.
 */
export const SMALL_ACCOUNT = { executions: 10, forOtherRequests: 3, orderSeconds: 4.8 };

/**
 * Most requests of a second to one route of a small account: each is two invocations, of the authorizer and of the route's
 * function, of about 50 ms, and they share the three executions.
 */
const SMALL_ROUTE = { rate: 20, burst: 20 };
/** Most requests of a minute from one address, or with one token: below a fifth of that, as `checkFirewall` demands. */
const SMALL_FIREWALL = { requestsPerAddress: 200, requestsPerToken: 200 };

type Shared = Pick<EnvironmentSettings, 'concurrency' | 'throttle' | 'firewall'> & { readonly orders: OrderSettings };

/**
 * Returns the settings with which an environment admits no more than its account can do: if `concurrency` is `small`, the lower one
 * of each limit and what a small account takes. All other settings stay.
 */
export function fitToAccount<Settings extends Shared>(settings: Settings): Settings {
  const { concurrency, orders, throttle, firewall } = settings;
  if (concurrency !== 'small') return settings;
  const { executions, forOtherRequests, orderSeconds } = SMALL_ACCOUNT;
  // Below one order a second, a whole number would be none. API Gateway's rate is a double, and its burst an integer.
  const rate = Math.floor(((executions - forOtherRequests) / orderSeconds / ROUTES) * 10) / 10;
  const small = { sagaConcurrency: 2, providerConcurrency: 2, throttle: { rate, burst: Math.ceil(2 * rate) } };
  return {
    ...settings,
    orders: {
      sagaConcurrency: Math.min(orders.sagaConcurrency, small.sagaConcurrency),
      providerConcurrency: Math.min(orders.providerConcurrency, small.providerConcurrency),
      throttle: lower(orders.throttle, small.throttle),
    },
    throttle: lower(throttle, SMALL_ROUTE),
    firewall: firewall && {
      ...firewall,
      requestsPerAddress: Math.min(firewall.requestsPerAddress, SMALL_FIREWALL.requestsPerAddress),
      requestsPerToken: Math.min(firewall.requestsPerToken, SMALL_FIREWALL.requestsPerToken),
    },
  };
}

/** Returns the lower one of each of two limits. */
const lower = (
  { rate, burst }: OrderSettings['throttle'],
  most: OrderSettings['throttle'],
): OrderSettings['throttle'] => ({
  rate: Math.min(rate, most.rate),
  burst: Math.min(burst, most.burst),
});

/** Returns the orders per second that the consumers take. */
export function ordersPerSecond({
  sagaConcurrency,
  providerConcurrency,
}: Pick<OrderSettings, 'sagaConcurrency' | 'providerConcurrency'>): number {
  const computeCapacity = (concurrency: number, { messages, batchSeconds }: (typeof NEEDS)['saga']): number =>
    (concurrency * BATCH) / batchSeconds / messages;
  return Math.floor(
    Math.min(computeCapacity(sagaConcurrency, NEEDS.saga), computeCapacity(providerConcurrency, NEEDS.provider)),
  );
}

/**
 * Checks that the API admits no more orders than the consumers take. Otherwise queues grow for as long as clients send more,
 * and every order waits longer than the one before it.
 * @throws {SettingsError}
 */
export function checkOrders(environment: string, orders: OrderSettings): void {
  const { rate, burst } = orders.throttle;
  if (!(Number.isFinite(rate) && rate > 0 && Number.isSafeInteger(burst) && burst > 0)) {
    throw new SettingsError(
      `orders of '${environment}': throttle is ${JSON.stringify(orders.throttle)}; expected a rate above 0 and a burst that is an integer above 0`,
    );
  }
  const capacity = ordersPerSecond(orders);
  if (ROUTES * rate <= capacity) return;
  throw new SettingsError(
    `orders of '${environment}': throttle.rate ${rate} is too high: consumers process ${capacity} orders/s, and ${ROUTES} routes share them. Use ${Math.floor(capacity / ROUTES)} or less, or raise sagaConcurrency or providerConcurrency`,
  );
}
