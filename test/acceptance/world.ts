import type { CustomerLimits } from '../../lambdas/environment.js';
import type { StockView } from '../../lambdas/inventory/contract.js';
import type { Commit } from '../../packages/kit/messages/commit.js';
import type { BusEntry, Envelope } from '../../packages/kit/messages/envelope.js';

/**
 * What a scenario may do and see. Scenarios are written against this port alone, so that the same text runs wherever
 * Orderly runs: on an emulator, in an account, in a simulator with a clock of its own. Nothing here speaks of wall-clock
 * time; what has to come about is waited for with `eventually`.
 *
 * A scenario takes ids and SKUs of its own (`fresh`): it shares its world with others.
 */
export interface World {
  /** Whether crashes, throttles, lost answers and refused entries can be made here, and calls be counted. */
  readonly makesFaults: boolean;
  /** How many times ten customers may order at once; no more than this world carries within a minute. */
  readonly crowd: number;
  /** What one customer may do here. */
  readonly limits: CustomerLimits;

  /** A name that no other scenario has: `sku-1f…`. */
  fresh(prefix: string): string;
  /** A UUID that nothing else has. */
  uuid(): string;
  /** ISO 8601, UTC. @param secondsAgo how long before this world's now. @default 0 */
  time(secondsAgo?: number): string;

  /** Methods and paths of the API as it is deployed, sorted: `GET /orders/{orderId}`. */
  routes(): Promise<readonly string[]>;
  /** One request to the API. */
  call<Body = Json>(request: ApiRequest): Promise<ApiAnswer<Body>>;
  /** A token that must not let anybody in. */
  badToken(fault: TokenFault): string;

  /** Puts events, or whatever claims to be one, straight onto the bus. */
  publish(...entries: readonly (Envelope | BusEntry)[]): Promise<void>;
  /** Puts a message straight into a consumer's queue. */
  send(consumer: ConsumerName, ...bodies: readonly string[]): Promise<void>;
  /**
   * Publishes events of an aggregate, and its commands, again, as the relay published them: newest first, so out of order.
   * @param times how often each. @default 1
   * @returns what was published again, oldest first, each once
   */
  redeliver(events: EventFilter, times?: number): Promise<readonly Envelope[]>;

  /** Kills the function's process around one of its writes: in front of it, or when its success would be answered. */
  crash(fn: FunctionName, when: 'beforeWrite' | 'afterWrite', options: FaultOptions): Promise<void>;
  /** Carries one call of the function out, and lets the answer be lost. */
  loseAnswer(fn: FunctionName, operation: string, options: FaultOptions): Promise<void>;
  /** Answers calls of the function with a throttle, without carrying them out. */
  throttle(fn: FunctionName, operation: string, options: FaultOptions): Promise<void>;
  /** The bus refuses single entries of PutEvents with an error code; the other entries of the call pass. */
  failEntries(match: EntryMatch, options: { readonly errorCode: string; readonly times: number }): Promise<void>;
  /** Waits until each fault that was set has happened at least once. */
  faultsMet(): Promise<void>;
  /**
   * Ends every fault that isn't used up.
   * @throws {Error} where one never happened at all: the scenario did not show what it says
   */
  heal(): Promise<void>;

  /**
   * Waits until an attempt passes without an error; its result.
   * @param what for the message where it never does: `the order is approved`
   * @throws {Error} with `what` and the last attempt's error
   */
  eventually<T>(what: string, attempt: () => Promise<T>): Promise<T>;
  /**
   * Waits until an order has gone as far as it goes: every event and command of it, of its saga and of all that take part
   * is done, or recorded as failed, at each of its consumers. Of deliveries beyond the first `deliveries` tells.
   */
  settled(orderId: string): Promise<void>;

  /** The stock of a SKU; nothing where nobody has set it. */
  stock(sku: string): Promise<StockView | undefined>;
  /** What the sandbox provider really did for a payment, whatever it answered. */
  moved(paymentId: string): Promise<Moved>;
  /** All commits of an aggregate, oldest first. */
  commits(aggregate: Aggregate, id: string): Promise<readonly Commit[]>;
  /** Its events as they are published, oldest first; behind those of a commit the commands that it sent. */
  events(filter: EventFilter): Promise<readonly Envelope[]>;
  /** What a consumer that keeps records knows of a message; nothing where it has never finished it. */
  recordOf(consumer: RecordingConsumer, messageId: string): Promise<ConsumerRecord | undefined>;
  /** Failure records of a consumer, or of a service's relay, whose id or payload holds this text. */
  failures(of: ConsumerName | RelayName, including: string): Promise<readonly FailureRecord[]>;
  /** How often a consumer said that it was through with a message, by outcome; as its log tells. */
  deliveries(consumer: ConsumerName, messageId: string): Promise<Deliveries>;
  /** Forgets a person for good, as an operator does. */
  forget(person: string): Promise<void>;
  /** All that is known of a person, as an operator exports it. */
  exported(person: string): Promise<Json>;
  /**
   * Looks for texts in all that is kept: items of every table, messages in queues, log lines of every function; where
   * the world has them also what the bus has taken (its archive) and failed batches.
   * @returns where any of them stands, one line a place
   */
  copiesOf(...texts: readonly string[]): Promise<readonly string[]>;
  /** What functions called while `work` ran, in order. */
  callsDuring(work: () => Promise<unknown>): Promise<readonly FunctionCall[]>;
}

/** A customer, an operator, nobody (no token at all), or whoever a token says. */
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
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the stage, with its query: `/orders?limit=2`. */
  readonly path: string;
  readonly as: Caller;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  /** `Idempotency-Key`. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Json = Record<string, unknown>;

export interface ApiAnswer<Body = Json> {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As JSON; `undefined` where it is none. */
  readonly body: Body;
  readonly text: string;
}

/** RFC 9457. */
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
  | 'Product'
  | 'PriceCheck';
export type RelayName = 'orders/relay' | 'inventory/relay' | 'accounts/relay' | 'payments/relay' | 'catalog/relay';
/** Consumers with processed records; a projection needs none. */
export type RecordingConsumer =
  | 'reservations'
  | 'inventory-commands'
  | 'orders-saga'
  | 'accounts-commands'
  | 'accounts-orders'
  | 'payments-commands'
  | 'payments-orders'
  | 'payments-provider'
  | 'catalog-commands';
export type ConsumerName = RecordingConsumer | 'orders-list' | 'accounts-exhausted';

/** By service and entry point, as they lie in `lambdas`. */
export type FunctionName =
  | RelayName
  | 'orders/place-order'
  | 'orders/get-order'
  | 'orders/list-orders'
  | 'orders/cancel-order'
  | 'orders/on-saga-message'
  | 'orders/list-projection'
  | 'inventory/set-stock'
  | 'inventory/on-order-event'
  | 'inventory/on-command'
  | 'accounts/set-credit-limit'
  | 'accounts/on-command'
  | 'accounts/on-order-event'
  | 'accounts/exhausted-projection'
  | 'payments/request-payment'
  | 'payments/on-command'
  | 'payments/on-order-event'
  | 'payments/charge-at-sandbox'
  | 'catalog/set-product'
  | 'catalog/on-command';

export interface EventFilter {
  readonly aggregate: Aggregate;
  readonly id: string;
  /** @default all */
  readonly types?: readonly string[];
}

export interface FaultOptions {
  /** Only calls whose request holds this text: an id or SKU of the scenario. */
  readonly including: string;
  /** @default 1 */
  readonly times?: number;
}

/** An entry matches where all that is given fits. */
export interface EntryMatch {
  readonly detailType?: string;
  /** Text that the entry's detail holds. */
  readonly including: string;
}

export interface ConsumerRecord {
  readonly status: 'PROCESSED' | 'FAILED';
  /** Epoch seconds; an expiring record is a processed one. */
  readonly expiresAt?: number;
}

export interface FailureRecord {
  readonly messageId: string;
  readonly status: 'FAILED';
  readonly failures: readonly { readonly at: string; readonly name: string; readonly message: string }[];
  readonly payload?: string;
  readonly attempts?: number;
  readonly subject?: string;
  /** Its effect may have happened before. */
  readonly unknown?: boolean;
  readonly expiresAt?: number;
}

/** Times, and their sums in the smallest unit. */
export interface Moved {
  readonly charges: number;
  readonly charged: number;
  readonly refunds: number;
  readonly refunded: number;
}

export interface Deliveries {
  readonly applied: number;
  readonly duplicate: number;
  /** Put off, to be tried again. */
  readonly retried: number;
}

export interface FunctionCall {
  readonly fn: FunctionName | undefined;
  /** `DynamoDB`, `AWSEvents`, `AmazonSQS`, `TrentService` (KMS). */
  readonly service: string;
  /** `PutItem`, `PutEvents`. */
  readonly operation: string;
  /** DynamoDB: write or read units on tables, and by index. */
  readonly units: { readonly table: number; readonly indexes: Readonly<Record<string, number>> };
  readonly failed: boolean;
  /** The caller got no answer: it was lost, or the caller died. */
  readonly unanswered: boolean;
}
