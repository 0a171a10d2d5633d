import { isProblemOf, type OrderlyClient, type OrderView } from '@orderly/client';
import { clock, SafeError, safeText, secondsBetween } from '@orderly/kit/aws';
import { RejectionReason } from '../orders/contract.js';
import { RUN_SECONDS } from './environment.js';

/** A run of the synthetic order. */
export interface SyntheticRun {
  /** Client with tokens of the synthetic customer. */
  readonly client: OrderlyClient;
  readonly sku: string;
  readonly currency: string;
  /** Scheduled time of the run. The idempotency keys follow from it, so a tick that comes twice places one order. */
  readonly tick: string;
  /** Waits between two looks at the order. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Outcome of a run. */
export interface Played {
  /** Seconds until the order was seen approved; `undefined` if another run of the same tick has cancelled it before. */
  readonly seconds: number | undefined;
  /** Orders of earlier runs that were still active, and are cancelled now. */
  readonly leftovers: readonly string[];
}

/** Error for an order that does not go its way. */
export class SyntheticOrderFailed extends SafeError {
  override readonly name = 'SyntheticOrderFailed';
}

/** Seconds after which a pending order counts as not decided: twice the time of the objective. */
const DECISION_SECONDS = 60;
/** Everything before the cancellation ends after this time, so that the rest of the run is left for it. */
const BEFORE_CANCELLATION_MS = 90_000;
const PAUSE_MS = 1_000;
/** Orders of the list that are looked at, newest first: those of eight hours. */
const LISTED = 100;

/**
 * Places one order that costs nothing, follows it until it is approved, and cancels it, so that everything is given back. It goes
 * through gateway, authorizer, outbox, bus, saga, catalogue, accounts and inventory, and no provider is asked for money.
 *
 * A run that dies between its order and the cancellation leaves the order. The next run cancels it first.
 * @throws {SyntheticOrderFailed} says how the order ended
 * @throws {OrderlyProblem | NoAnswer} for an answer that no step expects
 */
export async function playSyntheticOrder(run: SyntheticRun): Promise<Played> {
  const { client, sku, currency, tick } = run;
  const signal = AbortSignal.timeout(BEFORE_CANCELLATION_MS);
  const leftovers = await cancelLeftovers(client, signal);
  const began = clock.now();
  const lines = [{ sku, quantity: 1, unitPrice: { amount: 0, currency } }];
  const { orderId } = await client.placeOrder({ key: `synthetic-${tick}`, body: { lines }, signal });
  try {
    return { seconds: await followToApproval(run, { orderId, began, signal }), leftovers };
  } finally {
    await cancel(client, orderId);
  }
}

/** Cancels active orders of runs that have ended: the customer has no others. @returns their ids */
async function cancelLeftovers(client: OrderlyClient, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = await client.listOrders({ query: { limit: LISTED }, signal });
  const left = items.filter((order) => isActive(order) && secondsBetween(order.placedAt, clock.now()) > RUN_SECONDS);
  for (const { orderId } of left) await cancel(client, orderId);
  return left.map(({ orderId }) => orderId);
}

const isActive = ({ status }: OrderView): boolean => ['PENDING', 'UNDER_REVIEW', 'APPROVED'].includes(status);

/** @returns the seconds until the order was seen approved; `undefined` if another run has cancelled it */
async function followToApproval(
  { client, wait }: SyntheticRun,
  { orderId, began, signal }: { readonly orderId: string; readonly began: string; readonly signal: AbortSignal },
): Promise<number | undefined> {
  for (;;) {
    const { status, reason } = await client.getOrder({ orderId, signal });
    const seconds = secondsBetween(began, clock.now());
    if (status === 'APPROVED') return seconds;
    if (status === 'CANCELLED') return undefined;
    if (status === 'REJECTED') throw new SyntheticOrderFailed(safeText`the order is REJECTED: ${toCode(reason)}`);
    if (status !== 'PENDING') throw new SyntheticOrderFailed(safeText`the order is ${status}: expected APPROVED`);
    if (seconds > DECISION_SECONDS)
      throw new SyntheticOrderFailed(safeText`the order was not decided within ${DECISION_SECONDS} seconds`);
    await wait(PAUSE_MS);
  }
}

const toCode = (reason: unknown): RejectionReason | 'unknown' => RejectionReason.safeParse(reason).data ?? 'unknown';

/** Cancels an order, and looks at it afterwards. An order that has been rejected holds nothing. */
async function cancel(client: OrderlyClient, orderId: string): Promise<void> {
  try {
    await client.cancelOrder({ orderId, key: `synthetic-${orderId}-cancel`, body: {} });
  } catch (error) {
    if (!isProblemOf('cancelOrder', error) || error.code !== 'too-late') throw error;
  }
  const { status } = await client.getOrder({ orderId });
  if (status !== 'CANCELLED' && status !== 'REJECTED')
    throw new SyntheticOrderFailed(safeText`the cancelled order is ${status}: expected CANCELLED`);
}
