import { toView as viewOfAccount } from '../../../lambdas/accounts/domain/account.js';
import { toView as viewOfPayment } from '../../../lambdas/payments/domain/payment.js';
import { ANSWER_HEADERS } from '../../../packages/kit/http/answer-headers.js';
import { encodeCursor } from '../../../packages/kit/http/paging.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import { accountAt } from '../../simulation/invariants/accounts.js';
import { brokenPromises } from '../../simulation/invariants/broken-promises.js';
import { toldOf } from '../../simulation/invariants/payments.js';
import { type Commit, Facts } from './facts.js';
import type { Orderly } from './orderly.js';

/** Invalid positions in a list: some that DynamoDB refuses as keys, and some that no list of Orderly has. */
const FORGED = ['', 'a#b', 'x'.repeat(700)];

/** Returns an order without the fields that OrderPlaced seals. The invariants in people.ts check those. */
const impersonal = (order: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(order).filter(([field]) => field !== 'deliverTo' && field !== 'clientReference'));

/** Returns the customer's reason for a cancellation. */
function reasonSaid({ answered }: Orderly, orderId: string): { readonly reason?: string } {
  const cancelled = answered.find(
    ({ path, reply }) => path === `/orders/${orderId}/cancellation` && reply.status === 200,
  );
  return (cancelled?.body ?? {}) as { readonly reason?: string };
}

interface Items {
  readonly items?: readonly Readonly<Record<string, unknown>>[];
  readonly nextCursor?: string;
}

/** Reads a list page by page to its end. @param path with a query: `/orders?limit=1` */
export async function itemsOfPages(
  orderly: Orderly,
  path: string,
  as: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const all: Readonly<Record<string, unknown>>[] = [];
  let cursor = '';
  do {
    const { reply } = await orderly.call({ method: 'GET', path: `${path}${cursor}`, as });
    const { items = [], nextCursor } = reply.body as Items;
    all.push(...items);
    cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
  } while (cursor !== '');
  return all;
}

/** Reads what operators find in the ninety days up to now, page by page. */
async function itemsFound(orderly: Orderly): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const all: Readonly<Record<string, unknown>>[] = [];
  for (let cursor = ''; ; ) {
    const path = `/operations/orders?since=90d&limit=5&synthetic=true${cursor}`;
    const { reply } = await orderly.call({ method: 'GET', path, as: 'operator' });
    const { orders = [], nextCursor } = reply.body as {
      readonly orders?: readonly Readonly<Record<string, unknown>>[];
      readonly nextCursor?: string;
    };
    all.push(...orders);
    if (nextCursor === undefined) return all;
    cursor = `&cursor=${nextCursor}`;
  }
}

/**
 * Checks every invariant, and then every route that reads: an order, its history, its owner's list, its payment, the owner's
 * account, the operators' lists of accounts and of orders, a product and the stock. It checks that nobody reads another person's data, and
 * that every list refuses forged cursors.
 * @returns every broken promise
 */
export async function readersSeeTheTruth(orderly: Orderly): Promise<readonly Violation[]> {
  const facts = new Facts(orderly);
  const broken: Violation[] = [...brokenPromises(orderly)];
  const expect = (invariant: string, found: unknown, wanted: unknown, about: string): void => {
    if (JSON.stringify(found) === JSON.stringify(wanted)) return;
    broken.push({ invariant, detail: `found ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`, about });
  };
  const read = async (path: string, as: string) => {
    const { reply } = await orderly.call({ method: 'GET', path, as });
    const { 'cache-control': kept } = reply.headers;
    expect('no cache keeps an answer', kept, ANSWER_HEADERS['Cache-Control'], path);
    return reply;
  };
  /** Checks a resource with an owner: the owner gets it, and anyone else gets 404. */
  const own = async (path: string, owner: string): Promise<Record<string, unknown>> => {
    expect("no customer reads another customer's data", (await read(path, 'mallory')).status, 404, path);
    return (await read(path, owner)).body;
  };
  const history = async (path: string, owner: string, commits: readonly Commit[] = []): Promise<void> => {
    const { items } = (await own(`${path}/history`, owner)) as Items;
    const wanted = commits.flatMap(({ events }) => events.map(({ type }) => type));
    expect(
      'a history shows every event',
      items?.map(({ type }) => type),
      wanted,
      path,
    );
  };

  for (const id of [...facts.orders.keys()].slice(0, 2)) {
    const order = facts.order(id);
    if (!order) continue;
    const { customerId } = order;
    // The order's events contain it sealed.
    const said = order.status === 'CANCELLED' ? reasonSaid(orderly, id) : {};
    expect(
      'a read order equals its events, folded',
      impersonal(await own(`/orders/${id}`, customerId)),
      { ...order, ...said },
      id,
    );
    const commits = facts.orders.get(id) ?? [];
    await history(`/orders/${id}`, customerId, commits);
    // As it was when it was placed.
    const [first] = commits;
    const then = commits.findLast(({ at }) => at === first?.at)?.lastVersion;
    const { body: placed } = await read(`/orders/${id}?at=${first?.at}`, customerId);
    expect('an order as it was equals its events until then, folded', impersonal(placed), facts.order(id, then), id);
    const row = facts.rows.find(({ sk }) => sk.endsWith(`#${id}`));
    const { items } = (await read('/orders?limit=100', customerId)).body as Items;
    const shown = items?.find(({ orderId }) => orderId === id);
    const listed = row && (JSON.parse(row.order) as typeof order);
    // A row may be older than the cancellation, if its events have failed.
    const wanted = listed?.status === 'CANCELLED' ? { ...listed, ...said } : listed;
    expect('a list shows every row', shown && impersonal(shown), wanted, id);

    const { payment, events } = toldOf(facts, id);
    if (events.length === 0) continue;
    const paid = await own(`/payments/${id}`, customerId);
    expect('a read payment equals its events, folded', paid, viewOfPayment(payment, events.length), id);
    const ofAccount = facts.accounts.get(customerId) ?? [];
    const account = viewOfAccount(customerId, accountAt(ofAccount), ofAccount.at(-1)?.lastVersion ?? 0);
    expect('a read account equals its events, folded', await own(`/accounts/${customerId}`, customerId), account, id);
    await history(`/accounts/${customerId}`, customerId, ofAccount);
  }
  for (const { sku, onHand, reserved, available } of facts.counters.slice(0, 1)) {
    const { version: _, ...stock } = (await read(`/stock/${sku}`, 'operator')).body;
    expect('read stock equals the stored stock', stock, { sku, onHand, reserved, available }, sku);
    const set = orderly.answered.findLast(({ method, path }) => method === 'PUT' && path === `/products/${sku}`);
    const { items } = (await read('/products', 'alice')).body as Items;
    const listed = items?.find((product) => product.sku === sku);
    for (const product of [(await read(`/products/${sku}`, 'alice')).body, listed])
      expect('a read product equals the answer to its last PUT', product, set?.reply.body, sku);
  }
  const found = await itemsFound(orderly);
  const wanted = facts.rows
    .map(({ sk }) => sk.slice(sk.indexOf('#') + 1))
    .toSorted((one, other) => (one < other ? 1 : -1));
  expect(
    'operators find every order that a list shows',
    found.map(({ placedAt, orderId }) => `${placedAt}#${orderId}`),
    wanted,
    'orders',
  );
  for (const { orderId, status } of found) {
    const row = facts.rows.find(({ sk }) => sk.endsWith(`#${orderId}`));
    expect(
      'operators find an order as its list shows it',
      status,
      row && JSON.parse(row.order).status,
      String(orderId),
    );
  }
  const exhausted = [...facts.creditRows].flatMap(([id, { exhaustedPk }]) => (exhaustedPk === undefined ? [] : [id]));
  const { items: accounts } = (await read('/accounts?creditExhausted=true', 'operator')).body as Items;
  const ids = accounts?.map(({ customerId }) => String(customerId)).sort();
  expect('a list shows every exhausted account', ids, exhausted.sort(), 'accounts');
  expect(
    "no customer reads another customer's data",
    (await read('/accounts?creditExhausted=true', 'mallory')).status,
    403,
    'accounts',
  );
  // The checksum is no secret, so anyone can forge a cursor.
  for (const [path, list, as] of [
    ['/orders?', 'orders of alice', 'alice'],
    ['/products?', 'products', 'alice'],
    ['/accounts?creditExhausted=true&', 'accounts without credit', 'operator'],
  ] as const) {
    for (const position of FORGED) {
      const { status } = await read(`${path}cursor=${encodeCursor(list, position)}`, as);
      expect('a forged cursor is refused', status, 400, `${path} ${position}`);
    }
  }
  await orderly.rest();
  return broken;
}
