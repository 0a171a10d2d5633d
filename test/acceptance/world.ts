import type { CustomerLimits } from '../../lambdas/environment.js';
import type { StockView } from '../../lambdas/inventory/contract.js';
import type { OrderlyClient } from '../../packages/client/index.js';
import type { Commit } from '../../packages/kit/messages/commit.js';
import type { BusEntry, Envelope } from '../../packages/kit/messages/envelope.js';

/**
 * Port of the acceptance scenarios: everything that a scenario may do and see. Scenarios use this port alone, so that
 * the same text runs wherever Orderly runs: on an emulator, in an account, or in a simulator with its own clock.
 * Nothing here depends on wall-clock time; scenarios wait for results with `eventually`.
 *
 * A scenario takes its own ids and SKUs (`fresh`), since it shares its world with others.
 */
export interface World {
  /** Whether faults (crashes, throttles, lost answers, refused entries) can be made here, and calls be counted. */
  readonly makesFaults: boolean;
  /** Whether days can pass here (`pass`). */
  readonly passesDays: boolean;
  /**
   * Whether a hop takes as long as at AWS. Where it takes a few milliseconds, a change of an account is always one of a moment ago,
   * and the account's lane decides the next one.
   */
  readonly takesTime: boolean;
  /** Limits of one customer here. */
  readonly limits: CustomerLimits;

  /** Returns a name that no other scenario has, such as `sku-1f…`. */
  fresh(prefix: string): string;
  /** Returns a new UUID. */
  uuid(): string;
  /** Returns the time of this world as ISO 8601 in UTC. @param secondsAgo seconds before now. @default 0 */
  time(secondsAgo?: number): string;

  /** Returns the methods and paths of the deployed API, sorted, such as `GET /orders/{orderId}`. */
  routes(): Promise<readonly string[]>;
  /** Sends one request to the API. */
  call<Body = Json>(request: ApiRequest): Promise<ApiAnswer<Body>>;
  /**
   * Returns a client of the API for a caller. It waits in the time of this world.
   * @param through changes what happens to its requests on their way. @default nothing
   */
  client(as: Caller, through?: (send: Send) => Send): OrderlyClient;
  /** Returns a token that the API must refuse. */
  badToken(fault: TokenFault): string;

  /** Puts events, or forged ones, directly onto the bus. */
  publish(...entries: readonly (Envelope | BusEntry)[]): Promise<void>;
  /** Puts a message directly into a consumer's queue. */
  send(consumer: ConsumerName, ...bodies: readonly string[]): Promise<void>;
  /**
   * Publishes an aggregate's events and commands again, as the relay published them. They are sent newest first, so out
   * of order.
   * @param times how often each is published. @default 1
   * @returns what was published again, oldest first, each once
   */
  redeliver(events: EventFilter, times?: number): Promise<readonly Envelope[]>;
  /** Sends a failed message to its consumer again, as an operator does. */
  redrive(consumer: ConsumerName, failure: FailureRecord): Promise<void>;

  /** Kills the function's process at one of its writes: before it, or after it succeeded but before the answer. */
  crash(fn: FunctionName, when: 'beforeWrite' | 'afterWrite', options: FaultOptions): Promise<void>;
  /** Executes one call of the function, and loses its answer. */
  loseAnswer(fn: FunctionName, operation: string, options: FaultOptions): Promise<void>;
  /** Throttles calls of the function without executing them. */
  throttle(fn: FunctionName, operation: string, options: FaultOptions): Promise<void>;
  /** Makes the bus refuse single entries of PutEvents with an error code. The other entries of the call pass. */
  failEntries(match: EntryMatch, options: { readonly errorCode: string; readonly times: number }): Promise<void>;
  /** Waits until each configured fault has happened at least once. */
  faultsMet(): Promise<void>;
  /**
   * Removes every fault that is not used up.
   * @throws {Error} if a fault never happened: then the scenario did not show what it claims
   */
  heal(): Promise<void>;

  /**
   * Waits until an attempt passes without an error, and returns its result.
   * @param what the expected result, for the error message: `the order is approved`
   * @throws {Error} with `what` and the last attempt's error, if no attempt passes
   */
  eventually<T>(what: string, attempt: () => Promise<T>): Promise<T>;
  /**
   * Lets time pass, as much as it takes for days to close.
   * @throws {Error} in a world whose time is real
   */
  pass(seconds: number): Promise<void>;
  /**
   * Waits until an order is settled: every event and command of it, of its saga and of all participants is processed,
   * or recorded as failed, at each of its consumers. `deliveries` counts deliveries beyond the first.
   */
  settled(orderId: string): Promise<void>;

  /** Returns the stock of a SKU, or `undefined` if it was never set. */
  stock(sku: string): Promise<StockView | undefined>;
  /** Returns what the sandbox provider really did for a payment, whatever it answered. */
  moved(paymentId: string): Promise<Moved>;
  /** Returns all commits of an aggregate, oldest first. */
  commits(aggregate: Aggregate, id: string): Promise<readonly Commit[]>;
  /** Returns its published events, oldest first. A commit's events are followed by the commands that it sent. */
  events(filter: EventFilter): Promise<readonly Envelope[]>;
  /** Returns a consumer's record of a message, or `undefined` if it never finished the message. */
  readRecord(consumer: RecordingConsumer, messageId: string): Promise<ConsumerRecord | undefined>;
  /** Returns failure records of a consumer, or of a service's relay, whose id or payload contains this text. */
  failures(of: ConsumerName | RelayName, including: string): Promise<readonly FailureRecord[]>;
  /** Counts how often a consumer finished handling a message, by outcome, according to its log. */
  deliveries(consumer: ConsumerName, messageId: string): Promise<Deliveries>;
  /** Forgets a person for ever, as an operator does. */
  forget(person: string): Promise<void>;
  /** Exports everything that is known of a person, as an operator does. */
  exported(person: string): Promise<Json>;
  /**
   * Looks for texts in everything that is stored: items of every table, messages in queues, and log lines of every
   * function. If the world has them, it also looks into what the bus has received (its archive) and into failed
   * batches.
   * @returns each place that contains one of them, as one line
   */
  findCopies(...texts: readonly string[]): Promise<readonly string[]>;
  /** Returns the calls that functions made while `work` ran, in order. */
  callsDuring(work: () => Promise<unknown>): Promise<readonly FunctionCall[]>;
}

/** Sends a request, as `fetch` does. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** A customer, an operator, nobody (no token at all), or the holder of a given token. */
export type Caller =
  | 'alice'
  | 'bob'
  | 'operator'
  | 'nobody'
  | { readonly customer: string }
  | { readonly token: string };

export type TokenFault =
  | 'forged signature'
  | 'changed claims'
  | 'expired'
  | 'wrong issuer'
  | 'wrong audience'
  | 'alg none'
  | 'signed by the public key'
  | 'missing key id'
  | 'unknown key id'
  | 'missing role'
  | 'unknown role'
  | 'missing subject'
  | 'an e-mail address for subject'
  | 'no expiry'
  | 'an expiry at no time there is'
  | 'a long life'
  | 'issued tomorrow'
  | 'a critical header'
  | 'garbage';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the stage, with its query, such as `/orders?limit=2`. */
  readonly path: string;
  readonly as: Caller;
  /** Body, sent as JSON. A string is sent unchanged. */
  readonly body?: unknown;
  /** Value of `Idempotency-Key`. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Json = Record<string, unknown>;

export interface ApiAnswer<Body = Json> {
  readonly status: number;
  /** Headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body parsed as JSON, or `undefined` if it is not JSON. */
  readonly body: Body;
  readonly text: string;
}

/** Problem details (RFC 9457). */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors?: readonly {
    readonly detail: string;
    readonly pointer?: string;
    readonly parameter?: string;
    readonly header?: string;
  }[];
}

export type Aggregate =
  | 'Order'
  | 'CreateOrderSaga'
  | 'Reservation'
  | 'StockItem'
  | 'Account'
  | 'Payment'
  | 'Payer'
  | 'Product'
  | 'PriceCheck'
  | 'User'
  | 'Basket'
  | 'Checkout'
  | 'PriceRollout';
export type RelayName =
  | 'orders/relay'
  | 'inventory/relay'
  | 'accounts/relay'
  | 'payments/relay'
  | 'catalog/relay'
  | 'users/relay'
  | 'baskets/relay'
  | 'rewards/relay'
  | 'reports/relay';
/** Consumers with processed records; a projection needs none. */
export type RecordingConsumer =
  | 'reservations'
  | 'inventory-commands'
  | 'orders-saga'
  | 'orders-commands'
  | 'accounts-commands'
  | 'accounts-orders'
  | 'accounts-payments'
  | 'payments-commands'
  | 'payments-orders'
  | 'payments-provider'
  | 'catalog-commands'
  | 'payments-users'
  | 'orders-users'
  | 'baskets-products'
  | 'baskets-orders'
  | 'orders-reviews'
  | 'reports-daily';
export type ConsumerName = RecordingConsumer | 'rewards-accounts' | 'orders-list' | 'accounts-exhausted';

/** Functions by service and entry point, as in the folder `lambdas`. */
export type FunctionName =
  | RelayName
  | 'orders/place-order'
  | 'orders/get-order'
  | 'orders/list-orders'
  | 'orders/cancel-order'
  | 'orders/dispatch-order'
  | 'orders/on-saga-message'
  | 'orders/on-command'
  | 'orders/list-projection'
  | 'orders/on-user-change'
  | 'orders/on-user-status-changed'
  | 'orders/review-order'
  | 'inventory/set-stock'
  | 'inventory/on-order-event'
  | 'inventory/on-command'
  | 'accounts/set-credit-limit'
  | 'accounts/set-status'
  | 'accounts/apply-bonus'
  | 'rewards/on-account-event'
  | 'accounts/on-command'
  | 'accounts/on-order-event'
  | 'accounts/on-payment-event'
  | 'accounts/exhausted-projection'
  | 'payments/request-payment'
  | 'payments/on-command'
  | 'payments/on-order-event'
  | 'payments/charge-at-sandbox'
  | 'payments/on-user-event'
  | 'catalog/set-product'
  | 'catalog/on-command'
  | 'users/patch-me'
  | 'users/forget-me'
  | 'users/set-status'
  | 'baskets/set-item'
  | 'baskets/check-out'
  | 'baskets/on-product-event'
  | 'baskets/on-order-event'
  | 'reports/on-day';

export interface EventFilter {
  readonly aggregate: Aggregate;
  readonly id: string;
  /** Event types. @default all */
  readonly types?: readonly string[];
}

export interface FaultOptions {
  /** Text that a call's request must contain to match: an id or SKU of the scenario. */
  readonly including: string;
  /** Number of calls. @default 1 */
  readonly times?: number;
}

/** Selects entries. An entry matches if all given criteria match. */
export interface EntryMatch {
  readonly detailType?: string;
  /** Text that the entry's detail contains. */
  readonly including: string;
}

export interface ConsumerRecord {
  readonly status: 'PROCESSED' | 'FAILED';
  /** Expiry in epoch seconds. A record that expires is a processed one. */
  readonly expiresAt?: number;
}

export interface FailureRecord {
  readonly messageId: string;
  readonly status: 'FAILED';
  readonly failures: readonly { readonly at: string; readonly name: string; readonly message: string }[];
  readonly payload?: string;
  readonly attempts?: number;
  readonly subject?: string;
  /** Whether its effect may have happened before. */
  readonly unknown?: boolean;
  readonly expiresAt?: number;
}

/** Numbers of charges and refunds, and their sums in the smallest unit. */
export interface Moved {
  readonly charges: number;
  readonly charged: number;
  readonly refunds: number;
  readonly refunded: number;
}

export interface Deliveries {
  readonly applied: number;
  readonly duplicate: number;
  /** Postponed deliveries, which will be retried. */
  readonly retried: number;
}

export interface FunctionCall {
  /** A `FunctionName`, or the entry point of another function. Undefined for a function that no output names. */
  readonly fn: string | undefined;
  /** Service, such as `DynamoDB`, `AWSEvents`, `AmazonSQS` or `TrentService` (KMS). */
  readonly service: string;
  /** Operation, such as `PutItem` or `PutEvents`. */
  readonly operation: string;
  /** For DynamoDB: write or read units on tables, and by index. */
  readonly units: { readonly table: number; readonly indexes: Readonly<Record<string, number>> };
  readonly failed: boolean;
  /** Whether the caller got no answer, since the answer was lost or the caller crashed. */
  readonly unanswered: boolean;
}
