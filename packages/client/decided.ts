import type { Answer } from './answers.js';
import type { OrderView } from './schemas.js';

/** How long to wait for a decision. */
export interface DecisionOptions {
  /** Signal that ends the wait. The promise is rejected with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Seconds after which the promise is rejected with {@link OrderPending}. @default 60 */
  readonly within?: number | undefined;
}

/** Error for an order that was not decided in time. It exists, and will be decided: wait again, or read it later. */
export class OrderPending extends Error {
  override readonly name = 'OrderPending';

  /** @param order as it was read last */
  constructor(
    readonly order: OrderView,
    within: number,
  ) {
    super(`order ${order.orderId} is undecided after ${within} seconds: wait again`);
  }
}

/** Longest wait that one request asks for, in seconds. */
const LONGEST_WAIT = 20;

/**
 * Reads an order until it is no longer PENDING. Each request waits at the API, which answers as soon as the order is decided. If the API
 * doesn't wait, its `Retry-After` says when to read again.
 * @param read reads the order, with a wait in seconds
 * @param pause waits between two reads, for milliseconds
 */
export async function readUntilDecided(
  read: (wait: number) => Promise<Answer<OrderView>>,
  pause: (milliseconds: number) => Promise<void>,
  within = 60,
): Promise<OrderView> {
  const until = Date.now() + within * 1000;
  for (;;) {
    const left = () => until - Date.now();
    // At least one second: without a wait, an order that was just placed would never be decided.
    const { body, headers } = await read(Math.max(1, Math.min(LONGEST_WAIT, Math.ceil(left() / 1000))));
    if (body.status !== 'PENDING') return body;
    if (left() <= 0) throw new OrderPending(body, within);
    if (!headers.has('Preference-Applied'))
      await pause(Math.min(Number(headers.get('Retry-After') ?? 1) * 1000, left()));
  }
}
