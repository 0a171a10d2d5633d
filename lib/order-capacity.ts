import { SettingsError } from '@orderly/kit/constructs';

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
  if (![rate, burst].every((limit) => Number.isSafeInteger(limit) && limit > 0)) {
    throw new SettingsError(`orders of '${environment}': expected throttle.rate and throttle.burst above 0`);
  }
  const capacity = ordersPerSecond(orders);
  if (ROUTES * rate <= capacity) return;
  throw new SettingsError(
    `orders of '${environment}': throttle.rate ${rate} is too high: consumers process ${capacity} orders/s, and ${ROUTES} routes share them. Use ${Math.floor(capacity / ROUTES)} or less, or raise sagaConcurrency or providerConcurrency`,
  );
}
