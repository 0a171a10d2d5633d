/** SKU of the product in the fuzz test's orders. */
export const SKU = 'TEA-1';
/** Part of every key that the fuzz test sends. No log and no table may contain it, because keys are stored as hashes only. */
export const KEY = 'fuzz-key-';

const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** Valid bodies by route, which the fuzz test changes; an empty list for a route without a body. */
const BODIES: Readonly<Record<string, readonly object[] | undefined>> = {
  'POST /orders': [
    { lines: [{ sku: SKU, quantity: 1, unitPrice: eur(350) }] },
    {
      lines: [{ sku: SKU, quantity: 2, unitPrice: eur(350) }],
      clientReference: 'my first order',
      deliverTo: {
        name: 'Ada Lovelace',
        street: '12 St. James Square',
        city: 'London',
        postalCode: 'SW1',
        country: 'GB',
      },
    },
  ],
  'POST /orders/{orderId}/cancellation': [{}, { reason: 'changed my mind about it' }],
  'POST /orders/{orderId}/dispatch': undefined,
  'PUT /orders/{orderId}/review': [{ decision: 'approve' }, { decision: 'reject', note: 'the card is stolen' }],
  'POST /payments': [{ accountId: 'alice', amount: eur(4_200), clientReference: 'my first payment' }],
  'POST /payments/{paymentId}/refund': [{}, { amount: eur(5), clientReference: 'my first refund' }],
  'PUT /stock/{sku}': [{ onHand: 1_000_000 }],
  'PUT /accounts/{customerId}/credit-limit': [{ creditLimit: eur(1e12) }],
  'PUT /accounts/{customerId}/status': [{ status: 'CLOSED', reason: 'asked to close it' }, { status: 'OPEN' }],
  'POST /accounts/{customerId}/bonus': [{ points: 100, reason: 'for a parcel that came late' }],
  'PUT /products/{sku}': [
    { name: 'Green tea, loose', unitPrice: eur(350) },
    { name: 'Black tea, in bags', unitPrice: eur(350), discontinued: true },
  ],
  'PUT /basket/items/{sku}': [{ quantity: 1 }, { quantity: 10_000 }],
  'DELETE /basket/items/{sku}': undefined,
  'PUT /basket/seen': undefined,
  'POST /basket/checkout': undefined,
  'PATCH /users/me': [
    { name: 'Ada Lovelace', email: 'ada@example.org' },
    { name: null, address: { street: '12 St. James Square', city: 'London', postalCode: 'SW1', country: 'GB' } },
  ],
  'DELETE /users/me': undefined,
  'PUT /users/{userId}/status': [{ status: 'ACTIVE' }, { status: 'SUSPECT', reason: 'many orders in an hour' }],
  'POST /users/sessions': undefined,
  'POST /idempotency-keys': undefined,
  'POST /sessions': undefined,
  'POST /payments/sessions': undefined,
  'POST /webhooks': [
    { url: 'https://shop.example.com/hooks', events: ['OrderApproved'] },
    { url: 'https://shop.example.com/all', events: ['OrderPlaced', 'OrderRejected'], inOrder: true, description: 'A' },
  ],
  'DELETE /webhooks/{webhookId}': undefined,
  'POST /webhooks/{webhookId}/secret-rotation': undefined,
  'POST /webhooks/{webhookId}/activation': undefined,
  'POST /webhooks/{webhookId}/deliveries/{deliveryId}/redelivery': undefined,
};

/**
 * Returns a valid body of a route.
 * @param route name of the route, for example `POST /orders`
 * @throws {Error} for a route that is not listed here
 */
export function bodiesOf(route: string): readonly object[] {
  if (route.startsWith('GET ')) return [];
  if (!(route in BODIES)) throw new Error(`the fuzz knows no body of ${route}: add one to ${import.meta.url}`);
  return BODIES[route] ?? [];
}

/** Returns values of a path parameter that exist in the cloud. @throws {Error} for a parameter that is not listed here */
export function valuesOf(parameter: string): readonly string[] {
  const values: Readonly<Record<string, readonly string[]>> = {
    orderId: ['<order>', '0'.repeat(32)],
    paymentId: ['<payment>', '0'.repeat(32)],
    sku: [SKU, 'OTHER-1'],
    customerId: ['alice', 'bob'],
    userId: ['alice', 'bob'],
    date: ['2026-01-05', '2999-12-31'],
    sessionId: ['<session>', '<payment-session>', 'orders_made-up'],
    id: ['<order>', '<payment>', '0'.repeat(32), '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10'],
  };
  const found = values[parameter];
  if (!found)
    throw new Error(`the fuzz knows no value of the path parameter ${parameter}: add one to ${import.meta.url}`);
  return found;
}

/** Names of lists in their cursors, by the path of the list. */
export const LISTS: Readonly<Record<string, string>> = {
  '/orders?': 'orders of alice',
  '/products?': 'products',
  '/accounts?creditExhausted=true&': 'accounts without credit',
  '/rewards/me?': 'rewards of alice',
  '/reports/daily?': 'daily reports',
  '/accounts/alice/history?': 'history of account alice',
};

/** Query parameters of all routes, each with values that some route accepts. */
export const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  limit: ['1', '100'],
  customerId: ['alice', 'bob'],
  creditExhausted: ['true'],
  version: ['0', '1', '2'],
  at: ['2026-11-22T12:00:00Z', '2099-01-01T00:00:00+14:00'],
};
