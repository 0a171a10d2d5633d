import type * as z from 'zod/mini';
import type { accountsContract } from '../../lambdas/accounts/contract.js';
import type { basketsContract } from '../../lambdas/baskets/contract.js';
import type { catalogContract } from '../../lambdas/catalog/contract.js';
import type { inventoryContract } from '../../lambdas/inventory/contract.js';
import type { ordersContract } from '../../lambdas/orders/contract.js';
import type { createOrderContract } from '../../lambdas/orders/saga-contract.js';
import type { paymentsContract } from '../../lambdas/payments/contract.js';
import type { usersContract } from '../../lambdas/users/contract.js';
import type { webhooksContract } from '../../lambdas/webhooks/contract.js';
import type { deliveryContract } from '../../lambdas/webhooks/delivery-contract.js';
import type { feedContract } from '../../lambdas/webhooks/feed-contract.js';
import type { EventSchema, ServiceContract } from '../../packages/kit/messages/contract.js';
import { compensationIdOf, stepIdOf } from '../../packages/kit/saga/saga.js';

/** A message as the documents show it: its aggregate, and its data in the newest version and in earlier ones. */
export interface Example<Data = unknown> {
  /** Aggregate: `<AggregateType>/<id>`. */
  readonly subject: string;
  readonly data: Data;
  /** Data of the versions before the newest one. */
  readonly earlier?: Readonly<Record<number, unknown>>;
  /** Caller who caused the message; without it, a service did, on behalf of the customer. */
  readonly actor?: string;
}

type ExamplesOf<Schemas> = {
  readonly [Type in keyof Schemas]: Schemas[Type] extends EventSchema ? Example<z.infer<Schemas[Type]['data']>> : never;
};
type ExamplesFor<C extends ServiceContract> = ExamplesOf<C['events']> &
  (C extends { readonly commands: infer Commands } ? ExamplesOf<Commands> : unknown);

/** Id of the message inside of a sealed value. Each example puts its own id in its place. */
export const MESSAGE_ID = '00000000-0000-7000-8000-000000000000';

/** One order, from the basket to its return: what all examples are about. */
const orderId = '9ec049a61a645d685d449197d89f43ec';
const customerId = 'alice';
const CUSTOMER = `customer:${customerId}`;
const OPERATOR = 'operator:olga';
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const TEA = { sku: 'TEA-1', quantity: 2 } as const;
const CUP = { sku: 'CUP-1', quantity: 1 } as const;
const TEA_PRICED = { ...TEA, unitPrice: eur(350) };
const CUP_PRICED = { ...CUP, unitPrice: eur(900) };
const amount = eur(1600);
const SEALED = { sealed: `1.${MESSAGE_ID}.5Vb0pQ3mJx7cT2yN9wKfRz4uHsLa8dGeXoViMjWqBnCYh6Pk1E_t` };
const step = (name: string) => ({ orderId, stepId: stepIdOf(orderId, name) });
const undo = (name: string) => ({ orderId, stepId: compensationIdOf(orderId, name) });
const at = '2026-11-21T07:49:52.117Z';
const again = '2026-11-21T07:50:52.117Z';

const Order = { subject: `Order/${orderId}` };
const Saga = { subject: `CreateOrderSaga/${orderId}` };
const Reservation = { subject: `Reservation/${orderId}` };
const Account = { subject: `Account/${customerId}` };
const Payment = { subject: `Payment/${orderId}` };
const Payer = { subject: `Payer/${customerId}` };
const Product = { subject: `Product/${TEA.sku}`, actor: OPERATOR };
const PriceCheck = { subject: `PriceCheck/${orderId}` };
const Basket = { subject: `Basket/${customerId}` };
const Checkout = { subject: `Checkout/${orderId}` };
const PriceRollout = { subject: `PriceRollout/${TEA.sku}@7` };
const User = { subject: `User/${customerId}` };
const paymentId = orderId;
const refundId = '5d449197d89f43ec9ec049a61a645d68';
const PRODUCT = { sku: TEA.sku, name: 'Assam', unitPrice: eur(350) };
const CHANGED = { skus: [TEA.sku], prices: [{ sku: TEA.sku, unitPrice: eur(380) }] };

const orders: ExamplesFor<typeof ordersContract> = {
  OrderPlaced: {
    ...Order,
    actor: CUSTOMER,
    data: {
      orderId,
      customerId,
      lines: [TEA_PRICED, CUP_PRICED],
      total: amount,
      deliverTo: SEALED,
      sealedReference: SEALED,
      placedAt: '2026-11-21T07:49:51.484Z',
    },
    earlier: {
      1: {
        orderId,
        customerId,
        lines: [TEA_PRICED, CUP_PRICED],
        total: amount,
        clientReference: 'cart-17',
        placedAt: '2026-11-21T07:49:51.484Z',
      },
    },
  },
  OrderReviewStarted: { ...Order, data: { orderId, customerId, reasons: ['SUSPECT_USER', 'HIGH_VALUE'] } },
  OrderReviewEnded: {
    ...Order,
    actor: OPERATOR,
    data: { orderId, customerId, outcome: 'APPROVED', sealedNote: SEALED },
  },
  OrderApproved: { ...Order, data: { orderId, customerId } },
  OrderDispatched: { ...Order, actor: OPERATOR, data: { orderId, customerId } },
  OrderRejected: {
    ...Order,
    data: { orderId, reason: 'PRICE_CHANGED', ...CHANGED },
    earlier: {
      1: { orderId, reason: 'OUT_OF_STOCK' },
      2: { orderId, reason: 'OUT_OF_STOCK', skus: [CUP.sku] },
      3: { orderId, reason: 'PRICE_CHANGED', ...CHANGED },
    },
  },
  OrderCancelled: {
    ...Order,
    actor: CUSTOMER,
    data: { orderId, customerId, sealedReason: SEALED, underWay: true },
  },
  PlaceOrder: { ...Checkout, data: { orderId, customerId, lines: [TEA_PRICED, CUP_PRICED] } },
};

const saga: ExamplesOf<(typeof createOrderContract)['events']> = {
  SagaStarted: {
    ...Saga,
    data: { at, data: { orderId, customerId, lines: [TEA_PRICED, CUP_PRICED], total: amount } },
  },
  StepSent: { ...Saga, data: { step: 'confirm-prices', attempt: 1, at, again } },
  StepHeld: { ...Saga, data: { step: 'charge-payment', at } },
  StepDone: { ...Saga, data: { step: 'confirm-prices', at } },
  SagaFailed: {
    ...Saga,
    data: { at, ending: { cause: 'REFUSED', step: 'reserve-stock', reason: 'OUT_OF_STOCK', subjects: [CUP.sku] } },
  },
  CompensationSent: { ...Saga, data: { step: 'authorize-account', attempt: 1, at, again } },
  CompensationDone: { ...Saga, data: { step: 'authorize-account', at } },
  SagaStuck: { ...Saga, data: { step: 'charge-payment', at, reason: 'REFUND_FAILED' } },
  TimerSet: { ...Saga, data: { number: 1, at: again } },
  SagaCompleted: { ...Saga, data: { at } },
  SagaCompensated: { ...Saga, data: { at } },
};

const catalog: ExamplesFor<typeof catalogContract> = {
  ProductAdded: { ...Product, data: PRODUCT },
  ProductRenamed: { ...Product, data: { ...PRODUCT, name: 'Assam Gold', oldName: 'Assam' } },
  ProductPriceChanged: { ...Product, data: { ...PRODUCT, unitPrice: eur(380), oldUnitPrice: eur(350) } },
  ProductDiscontinued: { ...Product, data: { ...PRODUCT, discontinued: true } },
  ProductResumed: { ...Product, data: PRODUCT },
  PricesConfirmed: { ...PriceCheck, data: step('confirm-prices') },
  PricesRefused: {
    ...PriceCheck,
    data: { ...step('confirm-prices'), reason: 'PRODUCT_DISCONTINUED', skus: [TEA.sku] },
    earlier: {
      1: { ...step('confirm-prices'), reason: 'UNKNOWN_PRODUCT', discontinued: true, skus: [TEA.sku] },
    },
  },
  SagaReplyRequested: {
    ...PriceCheck,
    data: { ...step('confirm-prices'), outcome: 'REFUSED', reason: 'PRICE_CHANGED', ...CHANGED },
    earlier: { 1: { ...step('confirm-prices'), outcome: 'REFUSED', reason: 'PRICE_CHANGED', ...CHANGED } },
  },
  ConfirmPrices: {
    ...Saga,
    data: { ...step('confirm-prices'), lines: [TEA_PRICED, CUP_PRICED].map(({ quantity: _, ...line }) => line) },
  },
};

const accounts: ExamplesFor<typeof accountsContract> = {
  AccountOpened: { ...Account, data: { customerId, creditLimit: eur(100_000) } },
  CreditLimitSet: { ...Account, actor: OPERATOR, data: { customerId, creditLimit: eur(250_000) } },
  AccountAuthorized: { ...Account, data: { customerId, ...step('authorize-account'), amount, at } },
  AccountClosed: { ...Account, actor: OPERATOR, data: { customerId, at, reason: SEALED } },
  AccountReopened: { ...Account, actor: OPERATOR, data: { customerId, at } },
  AuthorizationDeclined: {
    ...Account,
    data: { customerId, ...step('authorize-account'), amount, reason: 'ACCOUNT_CLOSED' },
    earlier: {
      1: { customerId, ...step('authorize-account'), amount, reason: 'OVER_LIMIT', limit: 'ORDERS_PER_HOUR' },
    },
  },
  AuthorizationCaptured: { ...Account, data: { customerId, ...step('capture'), amount } },
  AuthorizationReleased: { ...Account, data: { customerId, ...undo('authorize-account'), amount } },
  AuthorizationVoided: { ...Account, data: { customerId, ...undo('authorize-account') } },
  AccountRefunded: { ...Account, data: { customerId, ...step('refund'), refundId, amount: eur(350) } },
  CreditSettled: { ...Account, data: { customerId, orderId, amount } },
  ExhaustedAccountChanged: { ...Account, data: { customerId, exhausted: true } },
  BonusApplied: { ...Account, actor: OPERATOR, data: { customerId, points: 100, reason: SEALED } },
  SagaReplyRequested: {
    ...Account,
    data: { customerId, ...step('authorize-account'), outcome: 'DONE' },
    earlier: { 1: { customerId, ...step('authorize-account'), outcome: 'DONE' } },
  },
  AuthorizeAccount: { ...Saga, data: { customerId, ...step('authorize-account'), amount } },
  CaptureAuthorization: { ...Saga, data: { customerId, ...step('capture') } },
  ReleaseAuthorization: { ...Saga, data: { customerId, ...undo('authorize-account') } },
  RefundAccount: { ...Saga, data: { customerId, ...step('refund'), refundId, amount: eur(350) } },
};

const inventory: ExamplesFor<typeof inventoryContract> = {
  StockReserved: { ...Reservation, data: { ...step('reserve-stock'), lines: [TEA, CUP] } },
  StockRejected: { ...Reservation, data: { ...step('reserve-stock'), reason: 'OUT_OF_STOCK', skus: [CUP.sku] } },
  StockReleased: { ...Reservation, data: { ...undo('reserve-stock'), lines: [TEA, CUP] } },
  StockDispatched: { ...Reservation, data: { orderId, lines: [TEA, CUP] } },
  ReservationVoided: { ...Reservation, data: undo('reserve-stock') },
  SagaReplyRequested: {
    ...Reservation,
    data: { ...step('reserve-stock'), outcome: 'REFUSED', reason: 'OUT_OF_STOCK', skus: [CUP.sku] },
  },
  StockSet: { subject: `StockItem/${TEA.sku}`, actor: OPERATOR, data: { sku: TEA.sku, onHand: 10 } },
  ReserveStock: { ...Saga, data: { ...step('reserve-stock'), lines: [TEA, CUP] } },
  ReleaseStock: { ...Saga, data: undo('reserve-stock') },
};

const payments: ExamplesFor<typeof paymentsContract> = {
  PaymentRequested: {
    ...Payment,
    data: {
      paymentId,
      customerId,
      accountId: customerId,
      amount,
      stepId: stepIdOf(orderId, 'charge-payment'),
      requestedAt: at,
    },
  },
  PaymentPrepared: { ...Payment, data: { paymentId, providerId: 'pi_3QxYw2EaBcDfGhIj' } },
  PaymentCharged: { ...Payment, data: { paymentId, amount, fee: eur(49), orderId, customerId } },
  PaymentDeclined: { ...Payment, data: { paymentId, reason: 'INSUFFICIENT_FUNDS' } },
  RefundRequested: { ...Payment, actor: OPERATOR, data: { paymentId, refundId, amount: eur(350) } },
  PaymentRefunded: { ...Payment, data: { paymentId, refundId, amount: eur(350), orderId, customerId } },
  ReturnsAllowed: { ...Payment, data: { paymentId } },
  RefundFailed: { ...Payment, data: { paymentId, refundId, amount: eur(350) } },
  PaymentVoided: { ...Payment, data: { paymentId } },
  VoidRequested: { ...Payment, data: { paymentId, stepId: compensationIdOf(orderId, 'charge-payment') } },
  SagaReplyRequested: { ...Payment, data: { customerId, ...step('charge-payment'), outcome: 'DONE' } },
  PayerChanged: { ...Payer, data: { customerId, declinedCharges: [at, again], methodChangedAt: at } },
  ChargePayment: { ...Saga, data: { customerId, ...step('charge-payment'), amount } },
  RefundPayment: { ...Saga, data: { customerId, ...undo('charge-payment') } },
};

const baskets: ExamplesFor<typeof basketsContract> = {
  BasketItemSet: { ...Basket, actor: CUSTOMER, data: { customerId, ...TEA_PRICED, productVersion: 6 } },
  BasketItemRemoved: { ...Basket, actor: CUSTOMER, data: { customerId, sku: TEA.sku } },
  BasketPriceChanged: {
    ...Basket,
    data: { customerId, sku: TEA.sku, unitPrice: eur(380), oldUnitPrice: eur(350), productVersion: 7 },
  },
  BasketSeen: { ...Basket, actor: CUSTOMER, data: { customerId } },
  BasketCheckedOut: { ...Basket, actor: CUSTOMER, data: { customerId, orderId, skus: [TEA.sku, CUP.sku] } },
  BasketEmptied: { ...Basket, data: { customerId, orderId, skus: [TEA.sku, CUP.sku] } },
  CheckoutRequested: {
    ...Checkout,
    actor: CUSTOMER,
    data: { orderId, customerId, lines: [TEA_PRICED, CUP_PRICED] },
  },
  PriceRolloutContinued: { ...PriceRollout, data: { sku: TEA.sku, productVersion: 7, page: 2 } },
  ContinuePriceRollout: {
    ...PriceRollout,
    data: { sku: TEA.sku, productVersion: 7, page: 2, after: customerId },
  },
};

const users: ExamplesFor<typeof usersContract> = {
  UserProfileChanged: { ...User, actor: CUSTOMER, data: { userId: customerId, name: SEALED, address: SEALED } },
  UserStatusChanged: {
    ...User,
    actor: OPERATOR,
    data: { userId: customerId, oldStatus: 'ACTIVE', newStatus: 'SUSPECT', sealedReason: SEALED },
  },
  UserForgotten: { ...User, actor: CUSTOMER, data: { userId: customerId } },
};

const webhookId = '197d89f43ec9ec049a61a645d685d449';
const due = { webhookId, deliveryId: '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10' };
const Webhook = { subject: `Webhook/${webhookId}`, actor: OPERATOR };

const webhooks: ExamplesFor<typeof webhooksContract> = {
  WebhookRegistered: {
    ...Webhook,
    data: {
      webhookId,
      sealedReceiver: SEALED,
      events: ['OrderApproved', 'OrderRejected'],
      inOrder: false,
      sealedSecret: SEALED,
    },
  },
  WebhookSecretRotated: { ...Webhook, data: { webhookId, sealedSecret: SEALED, formerUntil: again } },
  WebhookDisabled: { ...Webhook, data: { webhookId, reason: 'EXPIRED' } },
  WebhookEnabled: { ...Webhook, data: { webhookId } },
  WebhookDeleted: { ...Webhook, data: { webhookId } },
};

const webhookDeliveries: ExamplesFor<typeof deliveryContract> = {
  DeliveryDue: { subject: `WebhookDelivery/${due.deliveryId}`, data: due },
};

const webhookFeeds: ExamplesFor<typeof feedContract> = {
  OrderedDeliveryDue: { subject: `WebhookFeed/${webhookId}.${orderId}`, data: due },
};

const EXAMPLES: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  orders,
  'orders-saga': saga,
  catalog,
  accounts,
  inventory,
  payments,
  baskets,
  users,
  webhooks,
  'webhooks-delivery': webhookDeliveries,
  'webhooks-feed': webhookFeeds,
};

/** Customer on whose behalf services act in the examples. */
export const ON_BEHALF_OF = CUSTOMER;

/**
 * Returns the example of a type.
 * @param contract name of the contract: `orders`, `orders-saga`
 * @throws {Error} if there is none
 */
export function findExample(contract: string, type: string): Example {
  const example = EXAMPLES[contract]?.[type];
  if (!example) throw new Error(`tools/docs/message-examples.ts has no example of ${contract}: ${type}`);
  return example;
}
