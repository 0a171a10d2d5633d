// Made by npm run docs from docs/openapi.json.

/** Problem details (RFC 9457). `detail` says what was wrong and what would be right. */
export type Problem = {
  /** `urn:orderly:problem:<code>`. Decide by it; the texts may change. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** `urn:orderly:request:<id>`: this one request, as the log names it. Absent in answers of the firewall. */
  readonly instance?: string;
  /** The first 20 faults of the request. */
  readonly errors?: readonly ({
    readonly detail: string;
    /** Place in the body, a JSON pointer (RFC 6901). */
    readonly pointer?: string;
    /** Name of the parameter in the path or the query. */
    readonly parameter?: string;
    readonly header?: string;
  })[];
  /** Version that the change was decided on (`conflict`). */
  readonly expectedVersion?: number;
  /** Version of the resource now (`conflict`). */
  readonly foundVersion?: number;
  /** Limit that was reached (`limit-reached`). */
  readonly limit?: string;
  /** Business reason, by the name that orders have for it (`not-orderable`). */
  readonly reason?: string;
  /** Time from which on what was asked for exists (`not-closed-yet`). */
  readonly closesAt?: string;
};

export type AccountView = {
  readonly customerId: string;
  /** For a `CLOSED` account no further order is authorised. */
  readonly status: "OPEN" | "CLOSED";
  /** ISO 8601, UTC; absent while the account is open. */
  readonly closedAt?: string;
  readonly creditLimit: MoneyView;
  /** Amount held for orders in progress. */
  readonly authorized: MoneyView;
  /** Amount captured so far. */
  readonly captured: MoneyView;
  /** Amount refunded so far, of the captured one. */
  readonly refunded: MoneyView;
  /** Part of `authorized` and `captured` that payments have settled, without what was released or refunded since. */
  readonly settled: MoneyView;
  /** `creditLimit` - (`authorized` + `captured` - `refunded` - `settled`); 0 if the limit was set below the amount in use, or the account is closed. */
  readonly available: MoneyView;
  /** Version of the account in this view, from 1. */
  readonly version: number;
};

export type ApplyBonus = {
  readonly points: number;
  readonly reason: Text;
};

export type AttemptView = {
  readonly at: string;
  /** `answered`: see `status`. `timeout`: no answer within 10 s. `private`: the host has an address outside of the public internet. `unknown-host`: it has none. `connection`: refused, broken, or no valid certificate. */
  readonly result: "answered" | "timeout" | "private" | "unknown-host" | "connection" | "url";
  /** HTTP status of the answer. */
  readonly status?: number;
  readonly milliseconds: number;
};

export type AuditLogView = {
  /** Actions of operators, newest first. */
  readonly actions: readonly ({
    readonly service: string;
    readonly at: string;
    /** ARN of who ran the command; at an emulator the user of the machine. */
    readonly actor: string;
    /** Such as `redrive`, `discard`, `resend`. */
    readonly action: string;
    /** Such as a consumer and a message id. */
    readonly target: string;
    readonly reason?: string;
    /** Group of failures, if it was done to one. */
    readonly group?: string;
    /** Cause of failures across consumers, if it was done to one. */
    readonly cause?: string;
    /** The same for all messages of one run of a command. */
    readonly run?: string;
    /** Absent if the command ended before it knew. */
    readonly result?: string;
  })[];
};

export type AuditView = {
  readonly audit: {
    /** Beginning of the time that was audited. */
    readonly from?: string;
    /** Its end. */
    readonly to?: string;
    /** The aggregate that was audited, instead of a time. */
    readonly subject?: string;
    /** It, and those that were audited together with it. */
    readonly subjects?: readonly (string)[];
    /** Whether something is missing, in sentences: it says what was not compared, such as messages that no consumer subscribes to. */
    readonly verdict: string;
    readonly commits: number;
    /** Events and commands in these commits. */
    readonly messages: number;
    /** Those of backfills, which are never sent. */
    readonly unsent: number;
    /** Those that no consumer subscribes to: there was nothing to compare. */
    readonly unheard: {
      readonly messages: number;
      readonly types: readonly (string)[];
    };
    /** Messages at each consumer that receives them, by what became of them. */
    readonly deliveries: {
      readonly processed: number;
      readonly discarded: number;
      /** Older than records are kept, so nobody can tell. */
      readonly expired: number;
      /** Younger than `grace`, and without a record yet. */
      readonly 'too new': number;
      readonly pending: number;
      readonly failed: number;
      /** Lost: no record, and no queue in which they may be. */
      readonly missing: number;
    };
    /** Commits that can't be read, except those whose failures an operator has discarded. Nobody knows their messages. */
    readonly unreadable: readonly ({
      /** Service that committed it. */
      readonly service: string;
      /** Its key: the id of its failure at the relay. */
      readonly commit: string;
      /** Paths and codes of what is wrong, without values. */
      readonly fault: string;
      /** Whether there is a failure record of it. */
      readonly isRecorded: boolean;
    })[];
    /** All missing deliveries. */
    readonly missing: readonly ({
      readonly at: string;
      /** Service that committed the message. */
      readonly service: string;
      readonly consumer: string;
      readonly messageId: string;
      readonly type: string;
      readonly subject: string;
    })[];
    /** Always false: the command line sends what is missing again. */
    readonly resent: boolean;
    /** Effects that were done twice; absent with `consumer`. */
    readonly twice?: {
      /** Number of those that were checked, the oldest first. */
      readonly checked: number;
      /** Number of those that an answer has no room or no time for: they were not checked. */
      readonly left: number;
      /** Command that checks those that are left. */
      readonly next?: string;
      /** Those with something that was done twice. */
      readonly found: readonly ({
        readonly id: string;
        readonly effects: readonly ({
          /** Aggregate with two commits. */
          readonly subject: string;
          /** Id of the cause that was applied twice. */
          readonly trigger?: string;
          /** Effect that happened twice. */
          readonly type?: string;
          readonly versions: readonly (number)[];
        })[];
        /** Command that shows it. */
        readonly next: string;
      })[];
    };
  };
};

export type BasketView = {
  readonly lines: readonly ({
    readonly sku: string;
    readonly quantity: number;
    readonly unitPrice: MoneyView;
    /** Price that the customer has seen; present if `unitPrice` is another one. */
    readonly oldUnitPrice?: MoneyView;
  })[];
  /** Number of events so far; 0 for a basket that was never used. */
  readonly version: number;
};

export type CallerId = string;

export type CancelOrder = {
  readonly reason?: Text;
};

export type ChangeWebhook = Readonly<Record<string, unknown>>;

export type CheckoutView = {
  /** Id of the order, which exists about a second later. */
  readonly orderId: string;
};

export type CustomerId = string;

export type DailyReportView = {
  /** Number of the report, from 1, in the order of the days and without gaps. */
  readonly number: number;
  /** Day as yyyy-mm-dd in the time zone. */
  readonly date: string;
  readonly timeZone: string;
  /** First instant of the day, ISO 8601, UTC. */
  readonly from: string;
  /** First instant after the day. */
  readonly to: string;
  /** Number of events that are counted here, late ones included. */
  readonly events: number;
  /** Orders that were placed, and ends that orders came to. An order that is cancelled after its approval is in both. */
  readonly orders: {
    readonly placed: number;
    readonly approved: number;
    readonly rejected: number;
    readonly rejectedFor: readonly ({
      readonly reason: string;
      readonly orders: number;
    })[];
    readonly cancelledUnderWay: number;
    readonly cancelledAfterApproval: number;
    /** Value of the placed orders, by currency in the order of its code. Absent from reports of a release that did not count it. */
    readonly value?: readonly (OrderValueView)[];
  };
  /** By currency, in the order of its code. */
  readonly money: readonly (MoneyOfDayView)[];
  /** Products that were ordered most, by quantity and then by SKU. At most 10. */
  readonly topSkus: readonly ({
    readonly sku: string;
    readonly quantity: number;
  })[];
  /** Events of earlier days that came after these had closed. They are counted here, as a correction. */
  readonly late: {
    readonly events: number;
    readonly days: readonly ({
      readonly date: string;
      readonly events: number;
    })[];
  };
};

export type DeliveryAddress = {
  readonly name: Text;
  readonly street: Text;
  readonly city: Text;
  readonly postalCode: Text;
  readonly country: string;
};

export type DeliveryAddressView = {
  readonly name: string;
  readonly street: string;
  readonly city: string;
  /** Empty for countries without postal codes. */
  readonly postalCode: string;
  /** ISO 3166-1 alpha-2 code. */
  readonly country: string;
};

export type DeliveryStatus = "PENDING" | "DELIVERED" | "FAILED" | "SKIPPED";

export type DeliveryView = {
  readonly deliveryId: string;
  /** The same in each attempt: `webhook-id` of the requests. */
  readonly messageId: string;
  readonly type: "OrderPlaced" | "OrderApproved" | "OrderDispatched" | "OrderRejected" | "OrderCancelled";
  readonly orderId: string;
  readonly occurredAt: string;
  /** PENDING: it is tried. DELIVERED: the receiver answered 2xx. FAILED: it was given up, and the webhook disabled. SKIPPED: the webhook was disabled or deleted before. */
  readonly status: DeliveryStatus;
  readonly attempts: readonly (AttemptView)[];
};

export type DisabledReason = "GONE" | "EXPIRED" | "FORGOTTEN";

export type DispatchOrder = Readonly<Record<string, unknown>>;

export type FailureGroupsView = {
  /** Failures, or stuck sagas, of one consumer with the same error, the largest group first. */
  readonly groups: readonly ({
    readonly id: string;
    /** What has failed: messages, or sagas that are stuck at a step. */
    readonly kind: "failure" | "stuck saga";
    readonly service: string;
    readonly consumer: string;
    /** Name of the error. */
    readonly error: string;
    /** Message of the error, without ids, times and numbers. */
    readonly message: string;
    /** Ids of the causes that it has failures of. */
    readonly causes: readonly (string)[];
    readonly hourBefore: number;
    /** Id of the newest message, or saga. */
    readonly sample?: string;
    readonly count: number;
    /** Whether there may be more: of sagas, the first 1,000 of a type are read. */
    readonly more: boolean;
    readonly first?: string;
    readonly last?: string;
    readonly lastHour: number;
    /** Those that may have been processed before: a redrive leaves them out. */
    readonly unknown: number;
    /** Those whose error has a text that may contain data of a person: only `failures show` opens it. */
    readonly sealedTexts: number;
    readonly subjects: {
      readonly count: number;
      readonly newest: readonly (string)[];
    };
    /** Customers of the newest failures; absent of small ones behind the first 20. */
    readonly customers?: {
      /** Number of different ones. */
      readonly count: number;
      readonly newest: readonly (string)[];
      /** Number of failures that were looked at. */
      readonly looked: number;
    };
    /** Command that processes all of it again, once the cause is gone. */
    readonly next: string;
    /** Command that ends it by a decision. */
    readonly close: string;
    /** Page that says what to do about it. */
    readonly page?: string;
  })[];
  /** The same failures by their cause across all consumers, the largest first. One bad publisher is one cause. With `consumer`, it is the part at this consumer. */
  readonly causes: readonly ({
    readonly id: string;
    /** What has failed: messages, or sagas that are stuck at a step. */
    readonly kind: "failure" | "stuck saga";
    /** Name of the error. */
    readonly error: string;
    /** Message of the error, without ids, times and numbers. */
    readonly message: string;
    /** Service that published the messages, or the source of another application; absent if no record says it. */
    readonly publisher?: string;
    /** Type of the messages, or of the sagas; absent if no record says it. */
    readonly type?: string;
    /** Number of consumers that have failures of it. */
    readonly consumers: number;
    /** Its part at each consumer, the largest first. */
    readonly groups: readonly ({
      readonly id: string;
      readonly service: string;
      readonly consumer: string;
      readonly count: number;
    })[];
    /** Number in each of the last 24 hours, the oldest first; the last hour ends now. */
    readonly trend: readonly (number)[];
    /** Number before these hours. */
    readonly older: number;
    /** What operators have noted of it, by `failures annotate`; absent if nothing. */
    readonly note?: {
      /** Who takes care of it. */
      readonly owner?: string;
      readonly ticket?: string;
      readonly note?: string;
      /** ARN of who changed it last; at an emulator the user of the machine. */
      readonly by: string;
      readonly at: string;
    };
    /** Command that shows the newest failure, or saga. */
    readonly sample?: string;
    readonly count: number;
    /** Whether there may be more: of sagas, the first 1,000 of a type are read. */
    readonly more: boolean;
    readonly first?: string;
    readonly last?: string;
    readonly lastHour: number;
    /** Those that may have been processed before: a redrive leaves them out. */
    readonly unknown: number;
    /** Those whose error has a text that may contain data of a person: only `failures show` opens it. */
    readonly sealedTexts: number;
    readonly subjects: {
      readonly count: number;
      readonly newest: readonly (string)[];
    };
    /** Customers of the newest failures; absent of small ones behind the first 20. */
    readonly customers?: {
      /** Number of different ones. */
      readonly count: number;
      readonly newest: readonly (string)[];
      /** Number of failures that were looked at. */
      readonly looked: number;
    };
    /** Command that processes all of it again, once the cause is gone. */
    readonly next: string;
    /** Command that ends it by a decision. */
    readonly close: string;
    /** Page that says what to do about it. */
    readonly page?: string;
  })[];
  /** Stuck sagas that this release cannot read: they are in no group and no cause. */
  readonly unreadable: number;
};

export type Forgotten = {
  readonly forgotten: true;
};

export type ForgottenUserView = {
  readonly forgotten: true;
  readonly userId?: string;
  readonly status?: UserStatus;
  readonly version?: number;
};

export type HistoryEntryView = {
  /** Id of the event. */
  readonly id: string;
  /** Version of the aggregate after this event, from 1. */
  readonly version: number;
  /** Type of the event, such as `OrderPlaced`. */
  readonly type: string;
  /** Time of the event, ISO 8601, UTC. */
  readonly at: string;
  /** Who acted: role and id, or a role alone. */
  readonly actor: string;
  /** Caller who began what a service continued, if a service acted. */
  readonly onBehalfOf?: string;
  /** Correlation id of the request or message that led to the event. */
  readonly correlationId: string;
  /** Id of the request or message that caused the event. */
  readonly causationId: string;
  /** Data of the event, in the newest version of its type. */
  readonly data: unknown;
};

export type IssuedKey = {
  /** Key for one request, for the header `Idempotency-Key`. */
  readonly idempotencyKey: string;
  /** Time until which the key must be used for the first time, ISO 8601, UTC. */
  readonly expiresAt: string;
};

export type Money = {
  readonly amount: number;
  readonly currency: string;
};

export type MoneyOfDayView = {
  readonly currency: string;
  readonly charges: number;
  readonly refundsMade: number;
  /** Sum of the charges, in minor units; decimal text above 2^53-1. */
  readonly gross: number | string;
  /** Sum of the refunds that were made. */
  readonly refunds: number | string;
  /** `gross` - `refunds`; below 0 if more was refunded than charged. */
  readonly net: number | string;
  /** Sum of the provider's fees that were known when it charged. A provider may take them in another currency. */
  readonly fees: number | string;
  /** Charges whose fee is not known: it is not in `fees`. */
  readonly chargesWithoutFee: number;
  /** `gross` / `charges`, rounded half up to a minor unit; absent without charges. */
  readonly averageCharge?: number;
  /** `refunds` / `refundsMade`, rounded half up to a minor unit; absent without refunds. */
  readonly averageRefund?: number;
};

export type MoneyView = {
  /** In minor units of the currency (cents), up to 2^53-1. */
  readonly amount: number;
  /** ISO 4217 code. */
  readonly currency: string;
};

export type OpenedSession = {
  /** Id of the session, for the header `Session-Id`. */
  readonly sessionId: string;
  /** Time at which the session ends unless a request is accepted or repeated before, ISO 8601, UTC. */
  readonly expiresAt: string;
};

export type OperationsStatusView = {
  /** `healthy` if there is no problem. */
  readonly state: "healthy" | "unhealthy";
  /** Time of the status. */
  readonly at: string;
  /** The problems, the most urgent first. */
  readonly problems: readonly ({
    /** Kind of the problem, such as `failures` or `saga-stuck`. */
    readonly code: string;
    readonly text: string;
    /** Command to run next, or what to do. */
    readonly next: string;
    /** Page that says what to do. */
    readonly page?: string;
  })[];
  readonly consumers: readonly ({
    readonly service: string;
    readonly consumer: string;
    readonly kind: "consumer" | "projection" | "saga" | "inbox";
    /** Messages that wait. */
    readonly pending: number;
    /** Messages that it is handling. */
    readonly inFlight: number;
    /** Age of the oldest message. */
    readonly oldestSeconds?: number;
    /** Failures that wait for an operator. */
    readonly failed: number;
    /** Whether more have failed than were counted. */
    readonly moreFailed: boolean;
    /** Messages of an inbox that wait for their predecessors. */
    readonly parked?: number;
    /** Time by which the most overdue timer or message is late. */
    readonly lateSeconds?: number;
    /** Sagas that wait for an operator. */
    readonly stuck?: number;
    /** Absent of a consumer that no operator has paused. */
    readonly paused?: {
      readonly since: string;
      /** ARN of who paused it; at an emulator the user of the machine. */
      readonly by: string;
      readonly reason: string;
    };
  })[];
  readonly relays: readonly ({
    readonly service: string;
    /** Age of the commits that it reads; absent if it reads none. */
    readonly lagSeconds?: number;
    /** Commits that it could not publish. */
    readonly failed: number;
    readonly moreFailed: boolean;
  })[];
  readonly sweepers: readonly ({
    readonly service: string;
    readonly consumer: string;
    /** Minute of its last invocation; absent if there was none lately. */
    readonly lastTick?: string;
  })[];
  /** Functions of which calls failed in the last ten minutes, or that tried messages again. */
  readonly failing: readonly ({
    readonly service: string;
    /** Entry point, such as `orders/place-order`. */
    readonly entry: string;
    /** Name of the function. */
    readonly name: string;
    readonly kind: "consumer" | "projection" | "saga" | "inbox" | "relay" | "endpoint" | "other";
    readonly consumer?: string;
    readonly calls: number;
    /** Calls that ended with an error, a timeout or an exit. */
    readonly failed: number;
    /** Times that it put a message off, or did not send one. */
    readonly retried: number;
    /** Minute from which on each call failed; absent if calls succeed. */
    readonly failingSince?: string;
    /** Number of calls since then. */
    readonly inARow?: number;
    /** Newest error in its log; absent if there is none. */
    readonly lastError?: {
      readonly at: string;
      /** Outcome of an attempt that did nothing, such as `retrying`. */
      readonly message?: string;
      /** Name of the error. */
      readonly name: string;
      /** Text of the error, without data of people. */
      readonly text?: string;
      /** First frame of its stack. */
      readonly frame?: string;
    };
    /** Age of the oldest message that waits for it. */
    readonly oldestSeconds?: number;
    /** Time until that message becomes a failure at the latest. */
    readonly givesUpInSeconds?: number;
  })[];
  readonly deadLetters: {
    /** Number of dead-letter queues. */
    readonly queues: number;
    /** Those that are not empty. */
    readonly filled: readonly ({
      readonly queue: string;
      readonly messages: number;
      readonly oldestSeconds?: number;
    })[];
  };
  /** How far the delivery audit is; null if none is deployed. */
  readonly audit: {
    /** Time before which every delivery is judged; absent before the first run. */
    readonly auditedUntil?: string;
    /** Deliveries that it sent again, and whose end is not known yet. */
    readonly followed: number;
  } | null;
  /** Alarms of all stacks; null if they could not be read. */
  readonly alarms: {
    readonly total: number;
    readonly active: readonly ({
      readonly name: string;
      /** Heading of the runbook about it. */
      readonly heading: string;
      readonly description: string;
      /** `page` needs somebody at once, `ticket` waits for working hours. */
      readonly severity?: "page" | "ticket";
      /** Names of the parts that raised it, if it watches more than one. */
      readonly parts?: readonly (string)[];
      readonly since?: string;
    })[];
  } | null;
  /** Sources that could not be read, with the reason. */
  readonly unread: readonly (string)[];
  readonly orders: OrdersOfHourView;
};

export type OrderId = string;

export type OrderLimit = "ORDERS_UNDER_WAY" | "ORDERS_PER_HOUR";

export type OrderLine = {
  readonly sku: Sku;
  readonly quantity: number;
  readonly unitPrice: Money;
};

export type OrderValueView = {
  readonly currency: string;
  readonly orders: number;
  /** Sum of the orders, in minor units; decimal text above 2^53-1. */
  readonly total: number | string;
  /** `total` / `orders`, rounded half up to a minor unit. */
  readonly average: number;
};

export type OrderView = {
  readonly orderId: string;
  readonly customerId: string;
  /** PENDING: accepted, and its saga asks for price, credit, stock and payment. UNDER_REVIEW: an operator decides before it is charged or, if it is paid already, before it is dispatched. APPROVED: paid. DISPATCHED: it has left the warehouse. REJECTED: see `reason`. CANCELLED: by its customer, by an operator, or by its review. */
  readonly status: "PENDING" | "UNDER_REVIEW" | "APPROVED" | "DISPATCHED" | "REJECTED" | "CANCELLED";
  /** Reason for the rejection, in capitals, or the words of whoever cancelled the order. */
  readonly reason?: string | Forgotten;
  /** Why the order is under review. Customers do not see it, because it would tell them how to avoid a review. */
  readonly reviewReasons?: readonly (ReviewReason)[];
  /** Limit that a rejection for OVER_LIMIT is about, unless it is the customer's credit. */
  readonly limit?: OrderLimit;
  /** Lines that a rejection is about, with the unit prices of the catalogue if prices are the reason. */
  readonly rejectedLines?: readonly (RejectedLineView)[];
  readonly clientReference?: string | Forgotten;
  readonly lines: readonly ({
    readonly sku: string;
    readonly quantity: number;
    readonly unitPrice: MoneyView;
  })[];
  readonly total: MoneyView;
  /** Version of the order in this view, from 1. */
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly placedAt: string;
  /** Absent in lists. */
  readonly deliverTo?: DeliveryAddressView | Forgotten;
};

export type OrdersOfHourView = {
  /** Orders that were placed in the last hour; at least so many if there are `more`. */
  readonly placed: number;
  /** Whether the hour had more orders than were counted. Those that were counted are the newest. */
  readonly more: boolean;
  /** Orders whose ends were read: all, or the newest. The fields below count these. */
  readonly read: number;
  readonly approved: number;
  readonly rejected: number;
  readonly cancelled: number;
  /** Pending, or under review. */
  readonly open: number;
  /** Seconds from placing to approving an order; absent if none was approved. */
  readonly approvedAfter?: {
    readonly p50: number;
    readonly p95: number;
  };
};

export type OrdersPageView = {
  /** Time from which the orders were placed. */
  readonly from: string;
  /** Time before which they were placed. */
  readonly to: string;
  /** Newest first. */
  readonly orders: readonly ({
    readonly orderId: string;
    readonly customerId: string;
    /** PENDING: accepted, and its saga asks for price, credit, stock and payment. UNDER_REVIEW: an operator decides before it is charged or, if it is paid already, before it is dispatched. APPROVED: paid. DISPATCHED: it has left the warehouse. REJECTED: see `reason`. CANCELLED: by its customer, by an operator, or by its review. */
    readonly status: "PENDING" | "UNDER_REVIEW" | "APPROVED" | "DISPATCHED" | "REJECTED" | "CANCELLED";
    /** Reason of a rejection, in capitals. */
    readonly reason?: string;
    /** Step of its saga at which it stands, or was refused; of pending and rejected orders, and of those under review. */
    readonly step?: string;
    readonly placedAt: string;
    /** Time at which it was first approved, rejected or cancelled. */
    readonly decidedAt?: string;
    /** Seconds from placing it to that decision. */
    readonly seconds?: number;
    readonly total: MoneyView;
    readonly skus: readonly (string)[];
    /** Correlation id of the request that placed it. */
    readonly correlationId?: string;
  })[];
  /** All orders of the time that match, not of this page only. Absent with `cursor`. */
  readonly counts?: {
    readonly orders: number;
    readonly statuses: readonly ({
      /** PENDING: accepted, and its saga asks for price, credit, stock and payment. UNDER_REVIEW: an operator decides before it is charged or, if it is paid already, before it is dispatched. APPROVED: paid. DISPATCHED: it has left the warehouse. REJECTED: see `reason`. CANCELLED: by its customer, by an operator, or by its review. */
      readonly status: "PENDING" | "UNDER_REVIEW" | "APPROVED" | "DISPATCHED" | "REJECTED" | "CANCELLED";
      readonly orders: number;
    })[];
    readonly reasons: readonly ({
      readonly reason: string;
      readonly orders: number;
    })[];
  };
  /** Orders that were compared with the query, the newest first. */
  readonly looked: number;
  /** Time down to which they were, if an answer has no room for all: the counts end there. */
  readonly reached?: string;
  /** `cursor` of the next page, with the same query. */
  readonly nextCursor?: string;
  /** Command that shows the next page. */
  readonly next?: string;
  readonly list: {
    /** Whether the list has all orders. `filled`: a rebuild of this release has made it. `compared`: none has, but every order that was placed in this time was found. `incomplete`: some were not. `unknown`: they were not compared, since it is a later page, or the time is too long. */
    readonly state: "filled" | "compared" | "incomplete" | "unknown";
    /** Orders that were placed in this time, and are not in the list. */
    readonly missing?: number;
    readonly text?: string;
    /** Command that fills the list. */
    readonly next?: string;
  };
};

export type PaymentView = {
  readonly paymentId: string;
  readonly customerId: string;
  readonly accountId: string;
  readonly amount: MoneyView;
  readonly status: "PENDING" | "CHARGED" | "DECLINED";
  /** Reason for the decline. */
  readonly reason?: PaymentsDeclineReason;
  readonly clientReference?: string | Forgotten;
  /** Amount refunded so far. */
  readonly refunded: MoneyView;
  readonly refunds: readonly (RefundView)[];
  /** Version of the payment in this view, from 1. */
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly requestedAt: string;
};

export type PaymentsDeclineReason = "CARD_DECLINED" | "INSUFFICIENT_FUNDS" | "CARD_EXPIRED" | "AUTHENTICATION_REQUIRED" | "NO_PAYMENT_METHOD" | "REFUSED_BY_PROVIDER" | "VOIDED";

export type PlaceOrder = {
  readonly lines: readonly (OrderLine)[];
  readonly clientReference?: Text;
  readonly deliverTo?: DeliveryAddress;
};

export type ProductView = {
  readonly sku: string;
  readonly name: string;
  readonly unitPrice: MoneyView;
  /** Present if the product is not sold any more: orders for it are refused. */
  readonly discontinued?: true;
  /** Number of events so far: a simultaneous change of name and price counts as two. */
  readonly version: number;
};

export type ProfilePatch = {
  readonly name?: Text | null;
  readonly email?: string | null;
  readonly address?: {
    readonly name?: Text | null;
    readonly street?: Text | null;
    readonly city?: Text | null;
    readonly postalCode?: Text | null;
    readonly country?: string | null;
  } | null;
};

export type RefundPayment = {
  readonly amount?: {
    readonly amount: number;
    readonly currency: string;
  };
  readonly clientReference?: string;
};

export type RefundView = {
  readonly refundId: string;
  readonly amount: MoneyView;
  readonly status: "PENDING" | "REFUNDED" | "FAILED";
};

export type RegisterWebhook = {
  /** Address that gets the requests: `https`, a host of the public internet, without a user name. */
  readonly url: string;
  /** Types of events that are sent, each once. */
  readonly events: readonly ("OrderPlaced" | "OrderApproved" | "OrderDispatched" | "OrderRejected" | "OrderCancelled")[];
  /** Whether the events of each order are sent in their order. Each then waits until the one before it came through. */
  readonly inOrder?: boolean;
  readonly description?: Text;
};

export type RejectedLineView = {
  readonly sku: string;
  /** The catalogue's price when the line was refused. */
  readonly unitPrice?: MoneyView;
};

export type RejectionReason = "OUT_OF_STOCK" | "PRICE_CHANGED" | "UNKNOWN_PRODUCT" | "OVER_LIMIT" | "CURRENCY_MISMATCH" | "PAYMENT_DECLINED" | "TIMED_OUT" | "STEP_REFUSED" | "PRODUCT_DISCONTINUED" | "ACCOUNT_CLOSED";

export type ReportDate = string;

export type RequestPayment = {
  readonly accountId: CustomerId;
  readonly amount: {
    readonly amount: number;
    readonly currency: string;
  };
  readonly clientReference?: string;
};

export type ReviewOrder = {
  readonly decision: "approve" | "reject";
  readonly note?: Text;
};

export type ReviewReason = "SUSPECT_USER" | "BLOCKED_USER" | "HIGH_VALUE" | "MANY_ORDERS" | "OTHER_ADDRESS" | "DECLINED_CHARGES" | "METHOD_CHANGED";

export type RewardEntryView = {
  /** Time of the event, ISO 8601. */
  readonly at: string;
  /** Type of the account's event. */
  readonly type: "AuthorizationCaptured" | "AccountRefunded" | "BonusApplied";
  /** Negative for a refund. */
  readonly points: number;
  readonly orderId?: string;
};

export type RewardsView = {
  readonly customerId: string;
  readonly points: number;
  readonly tier: Tier;
  /** A page of the entries, newest first. */
  readonly entries: readonly (RewardEntryView)[];
  /** `cursor` of the next page. Absent on the last page. */
  readonly nextCursor?: string;
};

export type SessionView = {
  /** Id of the session, for the header `Session-Id`. */
  readonly sessionId: string;
  /** Time at which the session ends unless a request is accepted or repeated before, ISO 8601, UTC. */
  readonly expiresAt: string;
  /** Time of the last access: when the session was opened, or when a request was last accepted or repeated. ISO 8601, UTC. */
  readonly lastAccessAt: string;
};

export type SetAccountStatus = {
  readonly status: "OPEN" | "CLOSED";
  readonly reason?: Text;
};

export type SetCreditLimit = {
  readonly creditLimit: Money;
};

export type SetItem = {
  readonly quantity: number;
};

export type SetProduct = {
  readonly name: Text;
  readonly unitPrice: Money;
  readonly discontinued?: boolean;
};

export type SetStatus = {
  readonly status: UserStatus;
  readonly reason?: Text;
};

export type SetStock = {
  readonly onHand: number;
};

export type Sku = string;

export type StockView = {
  readonly sku: string;
  readonly onHand: number;
  readonly reserved: number;
  /** `onHand` - `reserved`, never below zero. */
  readonly available: number;
  /** Number of times that an operator has set it, from 1. */
  readonly version: number;
};

/** No control characters, no lone surrogates, no noncharacters of Unicode. */
export type Text = string;

export type Tier = "BASIC" | "SILVER" | "GOLD";

export type TraceView = {
  readonly id: string;
  readonly verdict: {
    readonly state: "complete" | "pending" | "failed";
    readonly text: string;
    /** Command to run next. */
    readonly next?: string;
  };
  /** Its order with the status, or the id that was asked for. */
  readonly title?: string;
  /** Number of messages. */
  readonly events: number;
  /** Number of effects that were found twice. */
  readonly doneTwice?: number;
  /** Sagas of its orders. */
  readonly sagas?: readonly (TracedSaga)[];
  /** Messages whose causes are not among them. */
  readonly roots: readonly (TracedMessage)[];
  /** Number of all attempts by their outcome, as the logs tell it. */
  readonly attempts?: {
    /** Sum of the others. */
    readonly delivered: number;
    readonly applied: number;
    /** An inbox has stored it, and processes it later. */
    readonly stored: number;
    readonly duplicate: number;
    readonly refused: number;
    readonly postponed: number;
    readonly crashed: number;
    /** Why the logs could not be read. */
    readonly unread?: string;
    /** Whether the logs have more lines than one answer has. */
    readonly isPartial?: true;
  };
};

export type TracedAttempt = {
  /** `crashed` if the queue gave the message, and no log line says what became of it. */
  readonly outcome: "applied" | "duplicate" | "refused" | "postponed" | "crashed";
  readonly at?: string;
  /** The queue's id of the message. */
  readonly messageId?: string;
  /** How often the queue had given it, this time included. */
  readonly receiveCount?: number;
  /** Whether its inbox has stored it, and processes it later; its outcome is `postponed` until then. */
  readonly isStored?: true;
  /** Why it came again, or was not applied; no people's data. */
  readonly cause?: string;
};

export type TracedDelivery = {
  readonly consumer: string;
  readonly service: string;
  readonly messageId: string;
  /** State of the message at this consumer; `lost` if it has no record, and is too old to be in a queue. */
  readonly state: "processed" | "collected" | "pending" | "failed" | "lost" | "discarded" | "repeated" | "expired" | "unsent" | "unjudged";
  readonly at?: string;
  readonly attempts?: number;
  /** Whether its consumer has stored it; only of one that is pending. */
  readonly isStored?: true;
  /** Reason of a failure: names and codes, no people's data. */
  readonly reason?: string;
  /** Time at which its record expires. A repetition that comes later is refused by its age. */
  readonly expiresAt?: string;
  /** Each time that the consumer got it, as far as the logs tell it. */
  readonly tries?: readonly (TracedAttempt)[];
};

export type TracedHop = {
  readonly consumer: string;
  readonly service: string;
  readonly messageId: string;
  /** State of the message at this consumer; `lost` if it has no record, and is too old to be in a queue. */
  readonly state: "processed" | "collected" | "pending" | "failed" | "lost" | "discarded" | "repeated" | "expired" | "unsent" | "unjudged";
  readonly at?: string;
  readonly attempts?: number;
  /** Whether its consumer has stored it; only of one that is pending. */
  readonly isStored?: true;
  /** Reason of a failure: names and codes, no people's data. */
  readonly reason?: string;
  /** Time at which its record expires. A repetition that comes later is refused by its age. */
  readonly expiresAt?: string;
  /** Each time that the consumer got it, as far as the logs tell it. */
  readonly tries?: readonly (TracedAttempt)[];
  readonly followed: readonly (TracedMessage)[];
};

export type TracedMessage = {
  readonly service: string;
  /** Its aggregate, such as `Order/<id>`. */
  readonly subject: string;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly at: string;
  /** Id of the message or request that caused it. */
  readonly trigger: string;
  readonly correlationId: string;
  /** Step and its result; only for an event of a saga. */
  readonly details?: string;
  /** Service that handles it; only for a command. */
  readonly to?: string;
  readonly deliveries: readonly (TracedDelivery)[];
  /** Whether it is published; only while a consumer has nothing of it. */
  readonly publication?: {
    /** `published`: it has reached a consumer, or the relay has read past it. `waiting`: the relay is behind. `unknown`: the relay's metric does not tell it, or not yet. */
    readonly state: "published" | "waiting" | "unknown";
    readonly text: string;
  };
  readonly hops: readonly (TracedHop)[];
  readonly others: readonly (TracedMessage)[];
};

export type TracedSaga = {
  readonly service: string;
  readonly saga: string;
  readonly id: string;
  readonly status: string;
  /** Step that it waits for. */
  readonly step?: string;
  readonly attempt?: number;
  readonly since?: string;
  readonly sentAt?: string;
  /** Time of the next attempt, or at which it is given up. */
  readonly again?: string;
  readonly backlog?: number;
  /** Steps to compensate if it fails, the newest last. */
  readonly toUndo?: readonly (string)[];
  readonly held?: string;
  readonly heldSince?: string;
  readonly ending?: {
    readonly cause: string;
    readonly step?: string;
    readonly reason?: string;
    readonly subjects?: readonly (string)[];
  };
  readonly stuckSince?: string;
  readonly reason?: string;
};

export type UserStatus = "ACTIVE" | "SUSPECT" | "BLOCKED";

export type UserView = {
  readonly userId: string;
  readonly status: UserStatus;
  readonly name?: string;
  readonly email?: string;
  readonly address?: {
    /** The recipient, if it is not the user. */
    readonly name?: string;
    readonly street: string;
    readonly city: string;
    /** Empty for countries without postal codes. */
    readonly postalCode: string;
    /** ISO 3166-1 alpha-2 code. */
    readonly country: string;
  };
  /** Number of events so far; 0 if nothing was ever written. */
  readonly version: number;
};

export type WebhookView = {
  readonly webhookId: string;
  /** Absent if its customer was forgotten. */
  readonly url?: string;
  readonly events: readonly ("OrderPlaced" | "OrderApproved" | "OrderDispatched" | "OrderRejected" | "OrderCancelled")[];
  readonly inOrder: boolean;
  readonly description?: string;
  /** Customer whose orders it receives events of. Absent: it receives events of all orders. */
  readonly customerId?: string;
  /** DISABLED: nothing is sent. Its receiver answered 410, nothing came through for three days, or its customer was forgotten. */
  readonly status: "ACTIVE" | "DISABLED";
  readonly disabledReason?: DisabledReason;
  /** Time until which requests are signed by the former secret as well. */
  readonly formerSecretUntil?: string;
  /** Number of its changes, from 1. */
  readonly version: number;
};

export type WebhookWithSecret = {
  readonly webhookId: string;
  /** Absent if its customer was forgotten. */
  readonly url?: string;
  readonly events: readonly ("OrderPlaced" | "OrderApproved" | "OrderDispatched" | "OrderRejected" | "OrderCancelled")[];
  readonly inOrder: boolean;
  readonly description?: string;
  /** Customer whose orders it receives events of. Absent: it receives events of all orders. */
  readonly customerId?: string;
  /** DISABLED: nothing is sent. Its receiver answered 410, nothing came through for three days, or its customer was forgotten. */
  readonly status: "ACTIVE" | "DISABLED";
  readonly disabledReason?: DisabledReason;
  /** Time until which requests are signed by the former secret as well. */
  readonly formerSecretUntil?: string;
  /** Number of its changes, from 1. */
  readonly version: number;
  /** Secret of Standard Webhooks, by which each request is verified. Keep it: it is not shown again. Absent if the webhook was deleted meanwhile. */
  readonly secret?: string;
};

/** Codes of all problems. */
export type ProblemCode =
  /** 409: Account closed */
  | 'account-closed'
  /** 409: Basket empty */
  | 'basket-empty'
  /** 409: Basket full */
  | 'basket-full'
  /** 403: Request blocked */
  | 'blocked'
  /** 409: Conflict */
  | 'conflict'
  /** 409: Delivery pending */
  | 'delivery-pending'
  /** 403: Forbidden */
  | 'forbidden'
  /** 409: Request in progress */
  | 'in-progress'
  /** 500: Internal error */
  | 'internal'
  /** 400: Invalid request */
  | 'invalid-request'
  /** 422: Idempotency-Key expired */
  | 'key-expired'
  /** 400: Missing Idempotency-Key */
  | 'key-missing'
  /** 422: Idempotency-Key reused */
  | 'key-reused'
  /** 429: Limit reached */
  | 'limit-reached'
  /** 406: Not acceptable */
  | 'not-acceptable'
  /** 409: Not approved */
  | 'not-approved'
  /** 404: Day not closed yet */
  | 'not-closed-yet'
  /** 404: Not found */
  | 'not-found'
  /** 409: Basket not orderable */
  | 'not-orderable'
  /** 409: Refund exceeds the remaining amount */
  | 'not-refundable'
  /** 409: Not under review */
  | 'not-under-review'
  /** 409: Request-Number out of range */
  | 'number-out-of-range'
  /** 409: Person forgotten */
  | 'person-forgotten'
  /** 409: Product discontinued */
  | 'product-discontinued'
  /** 409: Session not open */
  | 'session-not-open'
  /** 409: Stock is reserved */
  | 'stock-reserved'
  /** 429: Too many requests */
  | 'throttled'
  /** 413: Request too large */
  | 'too-large'
  /** 409: Too late */
  | 'too-late'
  /** 401: Authentication required */
  | 'unauthenticated'
  /** 404: Unknown product */
  | 'unknown-product'
  /** 415: Unsupported media type */
  | 'unsupported-media-type'
  /** 403: User blocked */
  | 'user-blocked'
  /** 409: Webhook disabled */
  | 'webhook-disabled';

/** Requests and answers of each operation. */
export interface Operations {
  /** Give a customer points. */
  readonly applyBonus: {
    readonly path: { /** The customer's id at the identity provider. */ readonly customerId: string; };
    readonly takes: { readonly body: ApplyBonus; };
    readonly repeat: 'key';
    readonly answer: AccountView;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'person-forgotten' | 'account-closed' | 'throttled' | 'internal';
  };
  /** Cancel an order. */
  readonly cancelOrder: {
    readonly path: { /** Id of the order. */ readonly orderId: string; };
    readonly takes: { readonly body?: CancelOrder; };
    readonly repeat: 'key or number';
    readonly answer: OrderView;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'session-not-open' | 'number-out-of-range' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'too-late' | 'throttled' | 'internal';
  };
  /** Order the lines of the basket. */
  readonly checkOutBasket: {
    readonly path: unknown;
    readonly takes: { /** Version that you have read. At another one, nothing changes: `conflict`. */ readonly ifMatch?: number; };
    readonly repeat: 'key';
    readonly answer: CheckoutView;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'basket-empty' | 'product-discontinued' | 'not-orderable' | 'throttled' | 'internal';
  };
  /** Delete a webhook. */
  readonly deleteWebhook: {
    readonly path: { /** Id of the webhook. */ readonly webhookId: string; };
    readonly takes: unknown;
    readonly repeat: 'key';
    readonly answer: undefined;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Mark an order as dispatched. */
  readonly dispatchOrder: {
    readonly path: { /** Id of the order. */ readonly orderId: string; };
    readonly takes: { readonly body?: DispatchOrder; };
    readonly repeat: 'key';
    readonly answer: OrderView;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'not-approved' | 'throttled' | 'internal';
  };
  /** Enable a disabled webhook. */
  readonly enableWebhook: {
    readonly path: { /** Id of the webhook. */ readonly webhookId: string; };
    readonly takes: { readonly body?: ChangeWebhook; };
    readonly repeat: 'key';
    readonly answer: WebhookView;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'person-forgotten' | 'throttled' | 'internal';
  };
  /** Forget the caller for ever. */
  readonly forgetMe: {
    readonly path: unknown;
    readonly takes: unknown;
    readonly repeat: 'key or number';
    readonly answer: undefined;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'session-not-open' | 'number-out-of-range' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'throttled' | 'internal';
  };
  /** Read an account. */
  readonly getAccount: {
    readonly path: { /** The customer's id at the identity provider. */ readonly customerId: string; };
    readonly takes: { readonly query?: { /** Time at which to read, ISO 8601 in any time zone. Excludes `version`. */ readonly at?: string | number; /** Version to read, from 1. Excludes `at`. */ readonly version?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: AccountView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Read the basket. */
  readonly getBasket: {
    readonly path: unknown;
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: BasketView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'conflict' | 'throttled' | 'internal';
  };
  /** Read the report of a day. */
  readonly getDailyReport: {
    readonly path: { /** Day as yyyy-mm-dd, in the time zone of the reports. */ readonly date: string; };
    readonly takes: { /** The answer is text of this media type. @default JSON */ readonly accept?: 'text/csv'; };
    readonly repeat: undefined;
    readonly answer: DailyReportView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-closed-yet' | 'not-found' | 'not-acceptable' | 'throttled' | 'internal';
  };
  /** Ask whether anything was lost or done twice. */
  readonly getDeliveryAudit: {
    readonly path: unknown;
    readonly takes: { readonly query?: { /** The last `30m`, `1h`. Excludes `from`. */ readonly since?: string | number; /** Time from which commits are audited, ISO 8601. Excludes `since`. */ readonly from?: string | number; /** Time before which they are audited; with `from` only. By default now. */ readonly to?: string | number; /** One consumer only. */ readonly consumer?: string | number; /** Messages that are younger and have no record are too new to tell. By default `15m`. */ readonly grace?: string | number; /** Id of an order: the messages of the order, its saga, price check, reservation, payment and checkout only. What an account committed because of it is audited by time only. */ readonly order?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: AuditView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** List failures by their causes. */
  readonly getFailureGroups: {
    readonly path: unknown;
    readonly takes: { readonly query?: { /** Failures of one consumer only; `relay` for what could not be published. */ readonly consumer?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: FailureGroupsView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Read the caller. */
  readonly getMe: {
    readonly path: unknown;
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: UserView | ForgottenUserView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** Read the caller's points and tier. */
  readonly getMyRewards: {
    readonly path: unknown;
    readonly takes: { readonly query?: { /** Maximum number of items in this page. */ readonly limit?: string | number; /** `nextCursor` of the previous page, unchanged and with the same filter. */ readonly cursor?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: RewardsView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** Read this document. */
  readonly getOpenApi: {
    readonly path: unknown;
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: {
  readonly openapi: string;
};
    readonly problems: 'blocked' | 'throttled' | 'internal';
  };
  /** Ask whether the system is healthy. */
  readonly getOperationsStatus: {
    readonly path: unknown;
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: OperationsStatusView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** List what operators did. */
  readonly getOperatorsLog: {
    readonly path: unknown;
    readonly takes: { readonly query?: { /** How far back: `30m`, `7d`. By default `24h`. */ readonly since?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: AuditLogView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** Find orders by status, reason, time, customer, SKU or id. */
  readonly getOperatorsOrders: {
    readonly path: unknown;
    readonly takes: { readonly query?: { /** The last `30m`, `1h`, `7d`. Excludes `from`. By default `1h`; `24h` with `customer`, `sku` or `search`. */ readonly since?: string | number; /** Time from which they were placed: ISO 8601, or a time of day in UTC (`12:00`), the latest one. */ readonly from?: string | number; /** Time before which they were placed; with `from` only. By default now. A time of day is the first one after `from`. */ readonly to?: string | number; /** One or more with commas: `pending`, `under-review`, `approved`, `dispatched`, `rejected`, `cancelled`. */ readonly status?: string | number; /** Reasons of rejections, one or more with commas: `out-of-stock`, `price-changed`, `unknown-product`, `over-limit`, `currency-mismatch`, `payment-declined`, `timed-out`, `step-refused`, `product-discontinued`, `account-closed`. */ readonly reason?: string | number; /** Id of a customer. */ readonly customer?: string | number; /** SKU of a line. */ readonly sku?: string | number; /** Beginning of an order id, a customer id, a SKU or a correlation id. A whole order id is found whenever it was placed. */ readonly search?: string | number; /** Idempotency key of the request that placed it; with `customer`. It is found whenever it was placed. */ readonly key?: string | number; /** Always `true`: synthetic orders, too. */ readonly synthetic?: "true"; /** Orders of a page: 1 to 100. By default 20. */ readonly limit?: string | number; /** `nextCursor` of the page before. */ readonly cursor?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: OrdersPageView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** Read an order. */
  readonly getOrder: {
    readonly path: { /** Id of the order. */ readonly orderId: string; };
    readonly takes: { readonly query?: { /** Time at which to read, ISO 8601 in any time zone. Excludes `version`. */ readonly at?: string | number; /** Version to read, from 1. Excludes `at`. */ readonly version?: string | number; }; /** Seconds for which to wait for a final answer, at most 20. @default 0 */ readonly wait?: number; };
    readonly repeat: undefined;
    readonly answer: OrderView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Read when a session at orders was last accessed. */
  readonly getOrdersSession: {
    readonly path: { /** Id of the session. */ readonly sessionId: string; };
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: SessionView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Read a payment. */
  readonly getPayment: {
    readonly path: { /** Id of the payment. The payment of an order has the id of the order. */ readonly paymentId: string; };
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: PaymentView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Read when a session at payments was last accessed. */
  readonly getPaymentsSession: {
    readonly path: { /** Id of the session. */ readonly sessionId: string; };
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: SessionView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Read a product. */
  readonly getProduct: {
    readonly path: { /** SKU of the product. */ readonly sku: string; };
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: ProductView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Read a customer's points and tier. */
  readonly getRewards: {
    readonly path: { /** The customer's id at the identity provider. */ readonly customerId: string; };
    readonly takes: { readonly query?: { /** Maximum number of items in this page. */ readonly limit?: string | number; /** `nextCursor` of the previous page, unchanged and with the same filter. */ readonly cursor?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: RewardsView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** Read the stock of a SKU. */
  readonly getStock: {
    readonly path: { /** SKU of the product. */ readonly sku: string; };
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: StockView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Trace an order, a message or a request. */
  readonly getTrace: {
    readonly path: { /** Id of an order, an event or a command, or a correlation id. */ readonly id: string; };
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: TraceView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Read a user. */
  readonly getUser: {
    readonly path: { /** The user's id at the identity provider. */ readonly userId: string; };
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: UserView | ForgottenUserView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** Read when a session at users was last accessed. */
  readonly getUsersSession: {
    readonly path: { /** Id of the session. */ readonly sessionId: string; };
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: SessionView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Read a webhook. */
  readonly getWebhook: {
    readonly path: { /** Id of the webhook. */ readonly webhookId: string; };
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: WebhookView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** Issue an idempotency key. */
  readonly issueIdempotencyKey: {
    readonly path: unknown;
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: IssuedKey;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** List an account's events. */
  readonly listAccountHistory: {
    readonly path: { /** The customer's id at the identity provider. */ readonly customerId: string; };
    readonly takes: { readonly query?: { /** Maximum number of items in this page. */ readonly limit?: string | number; /** `nextCursor` of the previous page, unchanged and with the same filter. */ readonly cursor?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: {
  readonly items: readonly (HistoryEntryView)[];
  /** `cursor` of the next page. Absent on the last page. */
  readonly nextCursor?: string;
};
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** List accounts without available credit. */
  readonly listAccountsWithoutCredit: {
    readonly path: unknown;
    readonly takes: { readonly query: { /** Maximum number of items in this page. */ readonly limit?: string | number; /** `nextCursor` of the previous page, unchanged and with the same filter. */ readonly cursor?: string | number; /** Always `true`: only these accounts are listed. */ readonly creditExhausted: "true"; }; };
    readonly repeat: undefined;
    readonly answer: {
  readonly items: readonly (AccountView)[];
  /** `cursor` of the next page. Absent on the last page. */
  readonly nextCursor?: string;
};
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** List the reports. */
  readonly listDailyReports: {
    readonly path: unknown;
    readonly takes: { readonly query?: { /** Maximum number of items in this page. */ readonly limit?: string | number; /** `nextCursor` of the previous page, unchanged and with the same filter. */ readonly cursor?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: {
  readonly items: readonly (DailyReportView)[];
  /** `cursor` of the next page. Absent on the last page. */
  readonly nextCursor?: string;
};
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** List an order's events. */
  readonly listOrderHistory: {
    readonly path: { /** Id of the order. */ readonly orderId: string; };
    readonly takes: { readonly query?: { /** Maximum number of items in this page. */ readonly limit?: string | number; /** `nextCursor` of the previous page, unchanged and with the same filter. */ readonly cursor?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: {
  readonly items: readonly (HistoryEntryView)[];
  /** `cursor` of the next page. Absent on the last page. */
  readonly nextCursor?: string;
};
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** List a customer's orders, or the orders under review. */
  readonly listOrders: {
    readonly path: unknown;
    readonly takes: { readonly query?: { /** Maximum number of items in this page. */ readonly limit?: string | number; /** `nextCursor` of the previous page, unchanged and with the same filter. */ readonly cursor?: string | number; /** Customer whose orders to list. Operators name a customer, or ask for `underReview`; customers may name only themselves. */ readonly customerId?: string | number; /** Always `true`, for operators: only orders under review are listed, of the customer or of all customers. */ readonly underReview?: "true"; }; };
    readonly repeat: undefined;
    readonly answer: {
  readonly items: readonly (OrderView)[];
  /** `cursor` of the next page. Absent on the last page. */
  readonly nextCursor?: string;
};
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** List all products. */
  readonly listProducts: {
    readonly path: unknown;
    readonly takes: { readonly query?: { /** Maximum number of items in this page. */ readonly limit?: string | number; /** `nextCursor` of the previous page, unchanged and with the same filter. */ readonly cursor?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: {
  readonly items: readonly (ProductView)[];
  /** `cursor` of the next page. Absent on the last page. */
  readonly nextCursor?: string;
};
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** List a webhook's deliveries. */
  readonly listWebhookDeliveries: {
    readonly path: { /** Id of the webhook. */ readonly webhookId: string; };
    readonly takes: { readonly query?: { /** Maximum number of items in this page. */ readonly limit?: string | number; /** `nextCursor` of the previous page, unchanged and with the same filter. */ readonly cursor?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: {
  readonly items: readonly (DeliveryView)[];
  /** `cursor` of the next page. Absent on the last page. */
  readonly nextCursor?: string;
};
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'not-found' | 'throttled' | 'internal';
  };
  /** List webhooks. */
  readonly listWebhooks: {
    readonly path: unknown;
    readonly takes: { readonly query?: { /** Shop whose webhooks to list; for operators. */ readonly customerId?: string | number; }; };
    readonly repeat: undefined;
    readonly answer: {
  readonly items: readonly (WebhookView)[];
};
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** Open a session for numbered requests to orders. */
  readonly openOrdersSession: {
    readonly path: unknown;
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: OpenedSession;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** Open a session for numbered requests to payments. */
  readonly openPaymentsSession: {
    readonly path: unknown;
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: OpenedSession;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** Open a session for numbered requests to users. */
  readonly openUsersSession: {
    readonly path: unknown;
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: OpenedSession;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'blocked' | 'too-large' | 'throttled' | 'internal';
  };
  /** Patch the caller's profile. */
  readonly patchMe: {
    readonly path: unknown;
    readonly takes: { readonly body?: ProfilePatch; /** Version that you have read. At another one, nothing changes: `conflict`. */ readonly ifMatch?: number; };
    readonly repeat: 'key or number';
    readonly answer: UserView | ForgottenUserView;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'session-not-open' | 'number-out-of-range' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'person-forgotten' | 'throttled' | 'internal';
  };
  /** Place an order. */
  readonly placeOrder: {
    readonly path: unknown;
    readonly takes: { readonly body: PlaceOrder; };
    readonly repeat: 'key';
    readonly answer: OrderView;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'user-blocked' | 'person-forgotten' | 'limit-reached' | 'throttled' | 'internal';
  };
  /** Send a delivery again. */
  readonly redeliverWebhook: {
    readonly path: { /** Id of the webhook. */ readonly webhookId: string; /** Id of the delivery. */ readonly deliveryId: string; };
    readonly takes: { readonly body?: ChangeWebhook; };
    readonly repeat: 'key';
    readonly answer: DeliveryView;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'webhook-disabled' | 'delivery-pending' | 'throttled' | 'internal';
  };
  /** Refund a payment, whole or in part. */
  readonly refundPayment: {
    readonly path: { /** Id of the payment. The payment of an order has the id of the order. */ readonly paymentId: string; };
    readonly takes: { readonly body?: RefundPayment; };
    readonly repeat: 'key or number';
    readonly answer: PaymentView;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'session-not-open' | 'number-out-of-range' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'not-refundable' | 'limit-reached' | 'throttled' | 'internal';
  };
  /** Register a webhook. */
  readonly registerWebhook: {
    readonly path: unknown;
    readonly takes: { readonly body: RegisterWebhook; };
    readonly repeat: 'key';
    readonly answer: WebhookWithSecret;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'limit-reached' | 'not-found' | 'person-forgotten' | 'throttled' | 'internal';
  };
  /** Remove a line from the basket. */
  readonly removeBasketItem: {
    readonly path: { /** SKU of the product. */ readonly sku: string; };
    readonly takes: unknown;
    readonly repeat: undefined;
    readonly answer: BasketView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'throttled' | 'internal';
  };
  /** Request a payment. */
  readonly requestPayment: {
    readonly path: unknown;
    readonly takes: { readonly body: RequestPayment; };
    readonly repeat: 'key or number';
    readonly answer: PaymentView;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'session-not-open' | 'number-out-of-range' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'person-forgotten' | 'account-closed' | 'limit-reached' | 'throttled' | 'internal';
  };
  /** Approve or reject an order under review. */
  readonly reviewOrder: {
    readonly path: { /** Id of the order. */ readonly orderId: string; };
    readonly takes: { readonly body: ReviewOrder; };
    readonly repeat: undefined;
    readonly answer: OrderView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'not-under-review' | 'throttled' | 'internal';
  };
  /** Give a webhook's requests a new secret. */
  readonly rotateWebhookSecret: {
    readonly path: { /** Id of the webhook. */ readonly webhookId: string; };
    readonly takes: { readonly body?: ChangeWebhook; };
    readonly repeat: 'key';
    readonly answer: WebhookWithSecret;
    readonly problems: 'invalid-request' | 'key-missing' | 'in-progress' | 'key-reused' | 'key-expired' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'person-forgotten' | 'throttled' | 'internal';
  };
  /** Say that the customer has seen the prices of the basket. */
  readonly seeBasketPrices: {
    readonly path: unknown;
    readonly takes: { /** Version that you have read. At another one, nothing changes: `conflict`. */ readonly ifMatch?: number; };
    readonly repeat: undefined;
    readonly answer: BasketView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'throttled' | 'internal';
  };
  /** Close an account, or open it again. */
  readonly setAccountStatus: {
    readonly path: { /** The customer's id at the identity provider. */ readonly customerId: string; };
    readonly takes: { readonly body: SetAccountStatus; /** Version that you have read. At another one, nothing changes: `conflict`. */ readonly ifMatch?: number; };
    readonly repeat: undefined;
    readonly answer: AccountView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'throttled' | 'internal';
  };
  /** Add a line to the basket, or set its quantity. */
  readonly setBasketItem: {
    readonly path: { /** SKU of the product. */ readonly sku: string; };
    readonly takes: { readonly body: SetItem; };
    readonly repeat: undefined;
    readonly answer: BasketView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'unknown-product' | 'product-discontinued' | 'basket-full' | 'throttled' | 'internal';
  };
  /** Set a customer's credit limit. */
  readonly setCreditLimit: {
    readonly path: { /** The customer's id at the identity provider. */ readonly customerId: string; };
    readonly takes: { readonly body: SetCreditLimit; /** Version that you have read. At another one, nothing changes: `conflict`. */ readonly ifMatch?: number; };
    readonly repeat: undefined;
    readonly answer: AccountView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'not-found' | 'account-closed' | 'throttled' | 'internal';
  };
  /** Set a product. */
  readonly setProduct: {
    readonly path: { /** SKU of the product. */ readonly sku: string; };
    readonly takes: { readonly body: SetProduct; /** Version that you have read. At another one, nothing changes: `conflict`. */ readonly ifMatch?: number; };
    readonly repeat: undefined;
    readonly answer: ProductView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'throttled' | 'internal';
  };
  /** Set the number of pieces that were counted. */
  readonly setStock: {
    readonly path: { /** SKU of the product. */ readonly sku: string; };
    readonly takes: { readonly body: SetStock; /** Version that you have read. At another one, nothing changes: `conflict`. */ readonly ifMatch?: number; };
    readonly repeat: undefined;
    readonly answer: StockView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'stock-reserved' | 'throttled' | 'internal';
  };
  /** Set a user's status. */
  readonly setUserStatus: {
    readonly path: { /** The user's id at the identity provider. */ readonly userId: string; };
    readonly takes: { readonly body: SetStatus; /** Version that you have read. At another one, nothing changes: `conflict`. */ readonly ifMatch?: number; };
    readonly repeat: undefined;
    readonly answer: UserView | ForgottenUserView;
    readonly problems: 'invalid-request' | 'unauthenticated' | 'forbidden' | 'blocked' | 'conflict' | 'too-large' | 'unsupported-media-type' | 'throttled' | 'internal';
  };
}
