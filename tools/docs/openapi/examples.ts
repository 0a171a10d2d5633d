import answers from './answers.json' with { type: 'json' };

/**
 * A request of the story that the examples tell, and its answer.
 *
 * Texts of `path`, `query`, `headers` and `body` may refer to an earlier answer: `{{two-teas.orderId}}`, and to the day of a
 * time in it: `{{two-teas.placedAt:day}}`.
 */
export interface Call {
  /** Name of the example. */
  readonly name: string;
  /** What the request is about, as a part of a sentence without a full stop. */
  readonly summary: string;
  /** Id of the operation. */
  readonly operation: string;
  /** `operator`, `nobody`, or the id of a customer. @default alice */
  readonly as?: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status: number;
  /** Code of the problem that it is refused with. */
  readonly problem?: string;
  /** Part of the answer that is waited for. @default the first answer counts */
  readonly until?: Readonly<Record<string, unknown>>;
  /** Seconds that pass before the request. @default 0 */
  readonly after?: number;
  /** Calls that prepare this one and are no examples. Each is repeated until it is accepted. */
  readonly first?: readonly Preparation[];
}

export type Preparation = Pick<Call, 'operation' | 'as' | 'path' | 'headers' | 'body'>;

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const TEA = { sku: 'TEA-1', quantity: 2, unitPrice: eur(350) };
const CUP = { sku: 'CUP-1', quantity: 1, unitPrice: eur(900) };
const key = (text: string) => ({ 'Idempotency-Key': text });
const ADDRESS = { name: 'Ada Alder', street: 'Lindenweg 4', city: 'Potsdam', postalCode: '14467', country: 'DE' };
const DAY = 86_400;

const product = (sku: string, name: string, amount: number, more: object = {}): Preparation => ({
  operation: 'setProduct',
  as: 'operator',
  path: { sku },
  body: { name, unitPrice: eur(amount), ...more },
});

/** The products of a basket that is full. */
const FIFTY = Array.from({ length: 50 }, (_, at) => `PIN-${at + 1}`);

/** One customer's orders, from the first product to the report of the day. */
export const STORY: readonly Call[] = [
  // A shop opens.
  {
    name: 'ten-teas',
    summary: 'Ten pieces were counted',
    operation: 'setStock',
    as: 'operator',
    path: { sku: 'TEA-1' },
    body: { onHand: 10 },
    status: 200,
  },
  {
    name: 'assam',
    summary: 'A product and its price',
    operation: 'setProduct',
    as: 'operator',
    path: { sku: 'TEA-1' },
    body: { name: 'Assam', unitPrice: eur(350) },
    status: 200,
    first: [
      product('CUP-1', 'Cup', 900),
      { operation: 'setStock', as: 'operator', path: { sku: 'CUP-1' }, body: { onHand: 5 } },
    ],
  },
  {
    name: 'no-more-mugs',
    summary: 'A product that is not sold any more',
    operation: 'setProduct',
    as: 'operator',
    path: { sku: 'MUG-1' },
    body: { name: 'Mug', unitPrice: eur(1200), discontinued: true },
    status: 200,
  },
  { name: 'one-product', summary: 'A product', operation: 'getProduct', path: { sku: 'TEA-1' }, status: 200 },
  {
    name: 'some-products',
    summary: 'The first page of the products',
    operation: 'listProducts',
    query: { limit: '2' },
    status: 200,
    until: { items: [{ sku: 'CUP-1' }, { sku: 'MUG-1' }] },
  },
  {
    name: 'a-limit',
    summary: 'A credit limit of 20,000 euros',
    operation: 'setCreditLimit',
    as: 'operator',
    path: { customerId: 'alice' },
    body: { creditLimit: eur(2_000_000) },
    status: 200,
  },
  { name: 'a-key', summary: 'A key', operation: 'issueIdempotencyKey', status: 201 },

  // A customer places an order.
  {
    name: 'two-teas',
    summary: 'Two teas and a cup',
    operation: 'placeOrder',
    headers: key('cart-17'),
    body: { lines: [TEA, CUP], clientReference: 'cart-17', deliverTo: ADDRESS },
    status: 201,
  },
  {
    name: 'approved',
    summary: 'An order that is paid',
    operation: 'getOrder',
    path: { orderId: '{{two-teas.orderId}}' },
    status: 200,
    until: { status: 'APPROVED' },
  },
  {
    name: 'my-orders',
    summary: 'The newest orders',
    operation: 'listOrders',
    query: { limit: '20' },
    status: 200,
    until: { items: [{ orderId: '{{two-teas.orderId}}', status: 'APPROVED' }] },
  },
  {
    name: 'order-events',
    summary: 'Everything that happened to an order',
    operation: 'listOrderHistory',
    path: { orderId: '{{two-teas.orderId}}' },
    status: 200,
  },
  {
    name: 'reserved-pieces',
    summary: 'Pieces that are reserved for orders',
    operation: 'getStock',
    as: 'operator',
    path: { sku: 'TEA-1' },
    status: 200,
  },
  {
    name: 'fewer-than-reserved',
    summary: 'Fewer pieces than are reserved for orders',
    operation: 'setStock',
    as: 'operator',
    path: { sku: 'TEA-1' },
    body: { onHand: 1 },
    status: 409,
    problem: 'stock-reserved',
  },
  {
    name: 'other-version',
    summary: 'A change of a version that has changed meanwhile',
    operation: 'setProduct',
    as: 'operator',
    path: { sku: 'TEA-1' },
    headers: { 'If-Match': '7' },
    body: { name: 'Assam Gold', unitPrice: eur(350) },
    status: 409,
    problem: 'conflict',
  },

  {
    name: 'this-document',
    summary: 'A document that is known already',
    operation: 'getOpenApi',
    as: 'nobody',
    headers: { 'If-None-Match': '*' },
    status: 304,
  },

  // What is refused before anything is read or written.
  {
    name: 'no-token',
    summary: 'No token',
    operation: 'listOrders',
    as: 'nobody',
    status: 401,
    problem: 'unauthenticated',
  },
  {
    name: 'another-role',
    summary: "A customer asks for an operator's route",
    operation: 'getStock',
    path: { sku: 'TEA-1' },
    status: 403,
    problem: 'forbidden',
  },
  {
    name: 'no-pieces',
    summary: 'A line without a piece',
    operation: 'placeOrder',
    headers: key('cart-18'),
    body: { lines: [{ ...TEA, quantity: 0 }] },
    status: 400,
    problem: 'invalid-request',
  },
  {
    name: 'no-key',
    summary: 'An order without a key',
    operation: 'placeOrder',
    body: { lines: [TEA] },
    status: 400,
    problem: 'key-missing',
  },
  {
    name: 'same-key',
    summary: 'A key that came with another request before',
    operation: 'placeOrder',
    headers: key('cart-17'),
    body: { lines: [CUP] },
    status: 422,
    problem: 'key-reused',
  },
  {
    name: 'plain-text',
    summary: 'A body of another media type',
    operation: 'placeOrder',
    headers: { ...key('cart-18'), 'Content-Type': 'text/plain' },
    body: { lines: [TEA] },
    status: 415,
    problem: 'unsupported-media-type',
  },
  {
    name: 'large-body',
    summary: 'A body above 128 KB',
    operation: 'placeOrder',
    headers: key('cart-18'),
    body: { lines: [TEA], clientReference: 'x'.repeat(128 * 1024) },
    status: 413,
    problem: 'too-large',
  },
  {
    name: 'no-order',
    summary: "No order has this id, or it is another customer's",
    operation: 'getOrder',
    path: { orderId: 'none' },
    status: 404,
    problem: 'not-found',
  },

  // An order leaves the warehouse, another one is cancelled.
  {
    name: 'on-its-way',
    summary: 'The goods have left',
    operation: 'dispatchOrder',
    as: 'operator',
    path: { orderId: '{{two-teas.orderId}}' },
    headers: key('dispatch-17'),
    status: 200,
  },
  {
    name: 'cancelled-too-late',
    summary: 'A dispatched order',
    operation: 'cancelOrder',
    path: { orderId: '{{two-teas.orderId}}' },
    headers: key('cancel-17'),
    status: 409,
    problem: 'too-late',
  },
  {
    name: 'one-cup',
    summary: 'One cup, whose key is the hash of the body',
    operation: 'placeOrder',
    headers: key('auto'),
    body: { lines: [CUP], clientReference: 'cart-18' },
    status: 201,
  },
  {
    name: 'changed-my-mind',
    summary: "With the customer's own words",
    operation: 'cancelOrder',
    path: { orderId: '{{one-cup.orderId}}' },
    headers: key('cancel-18'),
    body: { reason: 'found one in the cupboard' },
    status: 200,
  },
  {
    name: 'cancelled-before',
    summary: 'An order that is not approved',
    operation: 'dispatchOrder',
    as: 'operator',
    path: { orderId: '{{one-cup.orderId}}' },
    headers: key('dispatch-18'),
    status: 409,
    problem: 'not-approved',
  },

  // Requests with numbers in the place of keys.
  { name: 'a-session', summary: 'A session', operation: 'openOrdersSession', status: 201 },
  {
    name: 'first-of-session',
    summary: 'Request 1 of a session, for an order that is cancelled already',
    operation: 'cancelOrder',
    path: { orderId: '{{one-cup.orderId}}' },
    headers: { 'Session-Id': '{{a-session.sessionId}}', 'Request-Number': '1' },
    body: {},
    status: 200,
  },
  {
    name: 'number-too-high',
    summary: 'A number far above the last answer',
    operation: 'cancelOrder',
    path: { orderId: '{{one-cup.orderId}}' },
    headers: { 'Session-Id': '{{a-session.sessionId}}', 'Request-Number': '90', 'Answered-Up-To': '1' },
    status: 409,
    problem: 'number-out-of-range',
  },
  {
    name: 'no-session',
    summary: 'A session that does not exist',
    operation: 'cancelOrder',
    path: { orderId: '{{one-cup.orderId}}' },
    headers: { 'Session-Id': '01a1fd15-57ca-7054-b87f-b340764a308b', 'Request-Number': '1' },
    status: 409,
    problem: 'session-not-open',
  },

  // Payments.
  { name: 'a-payments-session', summary: 'A session', operation: 'openPaymentsSession', status: 201 },
  {
    name: 'a-voucher',
    summary: 'A payment that pays no order',
    operation: 'requestPayment',
    headers: key('voucher-1'),
    body: { accountId: 'alice', amount: eur(1_000_050), clientReference: 'voucher-1' },
    status: 201,
  },
  {
    name: 'charged',
    summary: 'A payment that the provider has charged',
    operation: 'getPayment',
    path: { paymentId: '{{a-voucher.paymentId}}' },
    status: 200,
    until: { status: 'CHARGED' },
  },
  {
    name: 'half-back',
    summary: 'A part of it',
    operation: 'refundPayment',
    path: { paymentId: '{{a-voucher.paymentId}}' },
    headers: key('refund-1'),
    body: { amount: eur(50) },
    status: 201,
  },
  {
    name: 'more-than-left',
    summary: 'More than is left of the payment',
    operation: 'refundPayment',
    path: { paymentId: '{{a-voucher.paymentId}}' },
    headers: key('refund-2'),
    body: { amount: eur(1_000_001) },
    status: 409,
    problem: 'not-refundable',
  },
  {
    name: 'more-than-a-day',
    summary: 'More than a customer may get back on a day',
    operation: 'refundPayment',
    path: { paymentId: '{{a-voucher.paymentId}}' },
    headers: key('refund-3'),
    body: { amount: eur(1_000_000) },
    status: 429,
    problem: 'limit-reached',
  },

  // A basket.
  {
    name: 'two-in-basket',
    summary: 'Two pieces',
    operation: 'setBasketItem',
    path: { sku: 'TEA-1' },
    body: { quantity: 2 },
    status: 200,
    first: [{ operation: 'setBasketItem', path: { sku: 'CUP-1' }, body: { quantity: 1 } }],
  },
  {
    name: 'unknown-sku',
    summary: 'A product that does not exist',
    operation: 'setBasketItem',
    path: { sku: 'POT-1' },
    body: { quantity: 1 },
    status: 404,
    problem: 'unknown-product',
  },
  {
    name: 'a-mug',
    summary: 'A product that is not sold any more',
    operation: 'setBasketItem',
    path: { sku: 'MUG-1' },
    body: { quantity: 1 },
    status: 409,
    problem: 'product-discontinued',
  },
  {
    name: 'without-cup',
    summary: 'A line is removed',
    operation: 'removeBasketItem',
    path: { sku: 'CUP-1' },
    status: 200,
  },
  {
    name: 'dearer-tea',
    summary: 'A price has changed since the customer has seen it',
    operation: 'getBasket',
    status: 200,
    until: { lines: [{ unitPrice: eur(380) }] },
    first: [product('TEA-1', 'Assam', 380)],
  },
  {
    name: 'seen',
    summary: 'The basket as it was shown',
    operation: 'seeBasketPrices',
    headers: { 'If-Match': '{{dearer-tea.version}}' },
    status: 200,
  },
  {
    name: 'check-out',
    summary: 'The basket as it was shown',
    operation: 'checkOutBasket',
    headers: { ...key('checkout-19'), 'If-Match': '{{seen.version}}' },
    status: 202,
  },
  {
    name: 'nothing-to-order',
    summary: 'A basket whose lines are ordered already',
    operation: 'checkOutBasket',
    headers: key('checkout-20'),
    status: 409,
    problem: 'basket-empty',
  },
  {
    name: 'free-samples',
    summary: 'Many pieces of a product that became free',
    operation: 'checkOutBasket',
    as: 'bob',
    headers: key('checkout-21'),
    status: 409,
    problem: 'not-orderable',
    after: 5,
    first: [
      product('BAG-1', 'Sample', 5),
      { operation: 'setBasketItem', as: 'bob', path: { sku: 'BAG-1' }, body: { quantity: 20 } },
      product('BAG-1', 'Sample', 0),
    ],
  },
  {
    name: 'fifty-first-line',
    summary: 'A 51st line',
    operation: 'setBasketItem',
    as: 'dora',
    path: { sku: 'TEA-1' },
    body: { quantity: 1 },
    status: 409,
    problem: 'basket-full',
    after: 5,
    first: FIFTY.flatMap((sku) => [
      product(sku, 'Pin', 100),
      { operation: 'setBasketItem', as: 'dora', path: { sku }, body: { quantity: 1 } },
    ]),
  },

  // Users, and an order that is reviewed.
  { name: 'a-users-session', summary: 'A session', operation: 'openUsersSession', status: 201 },
  {
    name: 'a-profile',
    summary: 'A name, and no e-mail address',
    operation: 'patchMe',
    headers: { ...key('profile-1'), 'Content-Type': 'application/merge-patch+json' },
    body: { name: 'Ada Alder', email: null },
    status: 200,
  },
  { name: 'me', summary: 'The profile', operation: 'getMe', status: 200 },
  {
    name: 'suspect',
    summary: 'A user whose orders are reviewed',
    operation: 'setUserStatus',
    as: 'operator',
    path: { userId: 'alice' },
    body: { status: 'SUSPECT', reason: 'two cards within an hour' },
    status: 200,
  },
  {
    name: 'a-user',
    summary: 'A user, for operators',
    operation: 'getUser',
    as: 'operator',
    path: { userId: 'alice' },
    status: 200,
  },
  {
    name: 'for-review',
    summary: 'An order of a suspect user',
    operation: 'placeOrder',
    headers: key('cart-19'),
    body: { lines: [CUP] },
    status: 201,
    after: 5,
  },
  {
    name: 'under-review',
    summary: 'An order that an operator looks at',
    operation: 'getOrder',
    path: { orderId: '{{for-review.orderId}}' },
    status: 200,
    until: { status: 'UNDER_REVIEW' },
  },
  {
    name: 'released',
    summary: 'An order that is fine',
    operation: 'reviewOrder',
    as: 'operator',
    path: { orderId: '{{for-review.orderId}}' },
    body: { decision: 'approve', note: 'called the customer' },
    status: 200,
  },
  {
    name: 'no-review',
    summary: 'An order that nobody reviews',
    operation: 'reviewOrder',
    as: 'operator',
    path: { orderId: '{{two-teas.orderId}}' },
    body: { decision: 'approve' },
    status: 409,
    problem: 'not-under-review',
  },
  {
    name: 'blocked-user',
    summary: 'A blocked user',
    operation: 'placeOrder',
    as: 'bob',
    headers: key('cart-20'),
    body: { lines: [CUP] },
    status: 403,
    problem: 'user-blocked',
    after: 5,
    first: [{ operation: 'setUserStatus', as: 'operator', path: { userId: 'bob' }, body: { status: 'BLOCKED' } }],
  },
  {
    name: 'forget-me',
    summary: 'Without a body',
    operation: 'forgetMe',
    as: 'carol',
    headers: key('goodbye'),
    status: 204,
    first: [{ operation: 'patchMe', as: 'carol', headers: key('profile-2'), body: { name: 'Carol' } }],
  },
  {
    name: 'a-forgotten-person',
    summary: 'An address of a forgotten customer',
    operation: 'placeOrder',
    as: 'carol',
    headers: key('cart-21'),
    body: { lines: [CUP], deliverTo: ADDRESS },
    status: 409,
    problem: 'person-forgotten',
  },

  // The account, and the points.
  {
    name: 'for-a-late-parcel',
    summary: 'A hundred points',
    operation: 'applyBonus',
    as: 'operator',
    path: { customerId: 'alice' },
    headers: key('late-17'),
    body: { points: 100, reason: 'a parcel came late' },
    status: 201,
    after: 30,
  },
  { name: 'an-account', summary: 'An account', operation: 'getAccount', path: { customerId: 'alice' }, status: 200 },
  {
    name: 'account-events',
    summary: 'The oldest events of an account',
    operation: 'listAccountHistory',
    path: { customerId: 'alice' },
    query: { limit: '3' },
    status: 200,
  },
  {
    name: 'no-credit',
    summary: 'Customers who can not order on credit now',
    operation: 'listAccountsWithoutCredit',
    as: 'operator',
    query: { creditExhausted: 'true' },
    status: 200,
    until: { items: [{ customerId: 'erin' }] },
    first: [
      { operation: 'setCreditLimit', as: 'operator', path: { customerId: 'erin' }, body: { creditLimit: eur(0) } },
    ],
  },
  {
    name: 'my-points',
    summary: 'Points of purchases and of a bonus',
    operation: 'getMyRewards',
    status: 200,
    until: { entries: [{ points: 100 }] },
  },
  {
    name: 'points-of-a-customer',
    summary: 'The same, for operators',
    operation: 'getRewards',
    as: 'operator',
    path: { customerId: 'alice' },
    status: 200,
  },

  // The report of the day.
  {
    name: 'today',
    summary: 'A day that is not over',
    operation: 'getDailyReport',
    as: 'operator',
    path: { date: '{{two-teas.placedAt:day}}' },
    status: 404,
    problem: 'not-closed-yet',
  },
  {
    name: 'reports',
    summary: 'The newest report first',
    operation: 'listDailyReports',
    as: 'operator',
    query: { limit: '1' },
    status: 200,
    after: 2 * DAY,
    until: { items: [{ number: 2 }] },
  },
  {
    name: 'a-day',
    summary: 'The report of the first day',
    operation: 'getDailyReport',
    as: 'operator',
    path: { date: '{{two-teas.placedAt:day}}' },
    status: 200,
  },
  {
    name: 'a-day-as-csv',
    summary: 'The same for a spreadsheet',
    operation: 'getDailyReport',
    as: 'operator',
    path: { date: '{{two-teas.placedAt:day}}' },
    headers: { Accept: 'text/csv' },
    status: 200,
  },
  {
    name: 'as-a-picture',
    summary: 'A media type that the route does not have',
    operation: 'getDailyReport',
    as: 'operator',
    path: { date: '{{two-teas.placedAt:day}}' },
    headers: { Accept: 'image/png' },
    status: 406,
    problem: 'not-acceptable',
  },
  {
    name: 'an-old-key',
    summary: 'A key that was issued more than a day ago and never used',
    operation: 'placeOrder',
    headers: key('{{a-key.idempotencyKey}}'),
    body: { lines: [CUP] },
    status: 422,
    problem: 'key-expired',
  },
];

/** Answers that nobody gets by asking: of a race, a rate, the firewall, a fault. By their codes. */
export const UNASKED: Readonly<Record<string, { readonly summary: string; readonly detail: string }>> = {
  'in-progress': {
    summary: 'The same request is being carried out',
    detail: 'the same request is still in progress: try again',
  },
  throttled: { summary: 'More requests than the route takes', detail: 'Slow down, and try again later.' },
  blocked: {
    summary: 'An attack, as the firewall sees it',
    detail: 'The firewall treats the request, or its address, as an attack. The token and the role are not the reason.',
  },
  internal: {
    summary: 'A fault of the server',
    detail: 'an internal error occurred: quote the X-Correlation-Id of this answer to support',
  },
};

/** Answers of the story by the names of its calls, as they were when it was played for `npm run api:keep`. */
export const ANSWERS: Readonly<Record<string, unknown>> = answers;

/** Replaces references to earlier answers in a value. @throws {Error} if there is no such answer or member */
export function resolved<Value>(value: Value, answers: Readonly<Record<string, unknown>>): Value {
  if (typeof value === 'string') return textOf(value, answers) as Value;
  if (Array.isArray(value)) return value.map((item) => resolved(item, answers)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolved(item, answers)])) as Value;
}

const textOf = (text: string, answers: Readonly<Record<string, unknown>>): string =>
  text.replaceAll(/\{\{([\w-]+)\.(\w+)(:day)?\}\}/g, (reference, name: string, member: string, day?: string) => {
    const value = (answers[name] as Readonly<Record<string, unknown>> | undefined)?.[member];
    if (value === undefined) throw new Error(`no answer has ${reference}`);
    return day === undefined ? String(value) : String(value).slice(0, 'yyyy-mm-dd'.length);
  });
