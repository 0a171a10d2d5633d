/**
 * Meanings of the fields of messages. A field with another meaning in one type stands there as `<type>.<field>`; both names
 * are those of the contracts.
 */
const MEANINGS: Readonly<Record<string, string>> = {
  accountClosed: 'Present if the reason is `ACCOUNT_CLOSED`, which 0.2.0 does not know.',
  accountId: 'Account that is charged: the id of its customer.',
  address: "The user's address.",
  after: 'Last basket of the page before.',
  amount: 'Amount that the message is about, in minor units.',
  at: 'Time at which it happened.',
  'AccountAuthorized.at': 'Time by which the orders of an hour are counted. 0.2.0 did not write it.',
  clientReference: "The client's own name for it, as 0.2.0 wrote it. Later releases write `sealedReference`.",
  creditLimit: "Credit limit of the customer's account.",
  customerId: 'Customer: the `sub` of their token.',
  declinedCharges: 'Times of the newest charges that the provider declined, at most 20, oldest first.',
  deliverTo: 'Delivery address.',
  discontinued: 'Present if the product is not sold any more.',
  'PricesRefused.discontinued': 'Present if the reason is `PRODUCT_DISCONTINUED`, which 0.2.0 does not know.',
  'SagaReplyRequested.discontinued': 'Present if the reason is `PRODUCT_DISCONTINUED`, which 0.2.0 does not know.',
  'OrderRejected.discontinued': 'Present if the reason is `PRODUCT_DISCONTINUED`, which 0.2.0 does not know.',
  email: "The user's e-mail address.",
  fee: 'Fee that the provider took, possibly in another currency. Absent if it was not known.',
  limit: "Limit that `OVER_LIMIT` is about, unless it is the customer's credit.",
  lines: 'Lines of the order, each with another SKU.',
  methodChangedAt:
    'Time of the newest charge by another default payment method than the charge before it. Absent if there was none.',
  name: 'Name of the product.',
  'UserProfileChanged.name': "The user's name.",
  newStatus: 'Status from now on.',
  exhausted: 'Whether an open account has no available credit from now on.',
  oldName: 'Name before.',
  oldStatus: 'Status before.',
  oldUnitPrice: 'Price before.',
  'BasketPriceChanged.oldUnitPrice': 'Price that the customer has seen, if it is another one.',
  onHand: 'Pieces in the warehouse.',
  orderId: 'Order that the message is about.',
  outcome: 'Result of the step.',
  'OrderReviewEnded.outcome': '`RELEASED`: the user is active again.',
  page: 'Number of the page of baskets.',
  paymentId: "Payment. An order's payment has the order's id.",
  placedAt: 'Time at which the order was accepted.',
  points: 'Points that the customer got.',
  prices: 'Catalogue prices of the lines that the reason is about. 0.2.0 wrote none.',
  productVersion: "Position of the product's event among all of its events.",
  providerId: "The provider's id of the payment.",
  quantity: 'Number of pieces.',
  reason: 'Why.',
  'OrderCancelled.reason': 'Why, in the words of the customer, as 0.2.0 wrote it. Later releases write `sealedReason`.',
  'AccountClosed.reason': 'Why, in the words of the operator.',
  'AccountReopened.reason': 'Why, in the words of the operator.',
  'BonusApplied.reason': 'Why, in the words of the operator.',
  reasons: 'What makes the order worth a look. None of them proves fraud.',
  refundId: 'Refund of the payment.',
  requestedAt: 'Time at which the payment was requested.',
  sealedNote: "The operator's words about the customer, who doesn't see them.",
  sealedReason: 'Why, in the words of the customer.',
  'UserStatusChanged.sealedReason': 'Why, in the words of the operator.',
  sealedReference: "The client's own name for it. 0.2.0 did not write it.",
  settled: 'Part of the amount that a payment had settled before, so it was available since then.',
  settles:
    'Part of the amount that this event settles: an approved order was charged. Absent if its charge has settled it.',
  sku: 'Product: its stock keeping unit.',
  skus: 'Lines that the message is about, by their SKU.',
  stepId: "Step of the order's saga: every retry of a command has the same one, and the answer carries it back.",
  total: 'Sum of all lines.',
  underWay: "Present if the order's saga was still in progress: it compensates its own steps.",
  unitPrice: 'Price of one piece.',
  userId: 'User: the `sub` of their token.',
  deliveryId: 'Delivery: one event for one webhook. Its row has what is sent.',
  webhookId: 'Webhook that gets the event.',
};

/**
 * Returns what a field of a message means.
 * @throws {Error} if nobody has said so
 */
export function describeField(type: string, field: string): string {
  const meaning = MEANINGS[`${type}.${field}`] ?? MEANINGS[field];
  if (meaning === undefined) throw new Error(`tools/docs/message-fields.ts does not say what ${type}.${field} means`);
  return meaning;
}

/** Names of the meanings, for the test that each is used. */
export const MEANT: readonly string[] = Object.keys(MEANINGS);
