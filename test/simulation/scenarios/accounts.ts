import type { AccountCommand } from '../../../lambdas/accounts/contract.js';
import { toView } from '../../../lambdas/accounts/domain/account.js';
import type { Random } from '../../../packages/simulator/engine/random.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { sender } from '../../support/simulation/commands.js';
import { Facts } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { itemsOfPages } from '../../support/simulation/readers.js';
import { accountAt } from '../invariants/accounts.js';
import { brokenPromises } from '../invariants/broken-promises.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** Returns the steps of an order's saga. */
export function stepsOf(customerId: string, orderId: string, amount: number) {
  const step = (name: string) => ({ customerId, orderId, stepId: `${orderId}/${name}` });
  return {
    authorize: { type: 'AuthorizeAccount', data: { ...step('authorize'), amount: eur(amount) } },
    capture: { type: 'CaptureAuthorization', data: step('capture') },
    release: { type: 'ReleaseAuthorization', data: step('release') },
    refund: { type: 'RefundAccount', data: { ...step('refund'), refundId: orderId, amount: eur(amount) } },
  } as const satisfies Record<string, AccountCommand>;
}

/** Sets a customer's limit as an operator. */
export const limitOf = (customer: string, amount: number) =>
  ({
    method: 'PUT',
    path: `/accounts/${customer}/credit-limit`,
    as: 'operator',
    body: { creditLimit: eur(amount) },
  }) as const;

/**
 * One account: an order whose amount is authorised, captured and refunded, each step twice; two concurrent orders for
 * the remaining credit; and a late authorization.
 */
export const accountOne: Scenario = {
  name: 'account-one',
  faultProbability: 0.05,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const send = sender<AccountCommand>(cloud, 'accounts');
    await orderly.call(limitOf('alice', 1100));
    const first = stepsOf('alice', 'first', 600);
    for (const step of [first.authorize, first.capture]) {
      send(step);
      send(step);
      await orderly.rest();
    }
    // Two orders want the remaining credit, and the release of one overtakes its authorization.
    const late = stepsOf('alice', 'late', 100);
    for (const step of [stepsOf('alice', 'second', 400).authorize, stepsOf('alice', 'third', 400).authorize])
      send(step);
    send(late.release);
    await orderly.rest();
    send(late.authorize);
    send(first.refund);
    send(first.refund);
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/**
 * One account that an order leaves without credit, whose amount is captured and refunded: the list shows it, as it is, and no
 * longer afterwards.
 */
export const creditEnds: Scenario = {
  name: 'credit-ends',
  faultProbability: 0.05,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const send = sender<AccountCommand>(cloud, 'accounts');
    await orderly.call(limitOf('alice', 600));
    const { authorize, capture, refund } = stepsOf('alice', 'all', 600);
    const broken: Violation[] = [];
    for (const step of [authorize, capture, refund]) {
      send(step);
      await orderly.rest();
      const { accounts, creditRows } = new Facts(orderly);
      const commits = accounts.get('alice') ?? [];
      const view = toView('alice', accountAt(commits), commits.at(-1)?.lastVersion ?? 0);
      const listed = creditRows.get('alice')?.account;
      const { version: _, ...shown } = JSON.parse(listed ?? '{}');
      const { version: __, ...wanted } = view?.available.amount === 0 ? view : { version: 0 };
      if (JSON.stringify(shown) === JSON.stringify(wanted)) continue;
      broken.push({ invariant: 'the list shows who has no credit, as they are', detail: `${step.type}: ${listed}` });
    }
    return [...broken, ...brokenPromises(orderly), ...(await readersSeeAccounts(orderly))];
  },
};

/** Orders of the long life of an account: with four events of each, its snapshots are read and written. */
const LONG_LIFE = 12;

/** One account with more events than two of its snapshots are apart: each order's steps one after the other, some twice. */
export const longLife: Scenario = {
  name: 'long-life',
  faultProbability: 0.005,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const send = sender<AccountCommand>(cloud, 'accounts');
    await orderly.call(limitOf('alice', 2_000));
    for (let number = 0; number < LONG_LIFE; number++) {
      const { authorize, capture, refund } = stepsOf('alice', `order-${number}`, 100);
      for (const step of [authorize, authorize, capture, refund]) {
        send(step);
        await orderly.rest();
      }
    }
    return [...brokenPromises(orderly), ...(await readersSeeAccounts(orderly))];
  },
};

/** Gives a customer points as an operator. */
export const bonusOf = (customer: string, points: number, key: string) =>
  ({
    method: 'POST',
    path: `/accounts/${customer}/bonus`,
    as: 'operator',
    key,
    body: { points, reason: `Excuse to ${customer}` },
  }) as const;

/** Bonuses of two customers, one of them without an account: each is requested twice at once, and again later. */
export const bonuses: Scenario = {
  name: 'bonuses',
  faultProbability: 0.05,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await orderly.call(limitOf('alice', 1100));
    const requests = [bonusOf('alice', 100, 'first'), bonusOf('alice', 50, 'second'), bonusOf('bob', 70, 'first')];
    for (const request of [...requests, ...requests]) orderly.begin(request);
    await orderly.rest();
    for (const request of requests) await orderly.call(request);
    await orderly.call({ method: 'GET', path: '/accounts/alice/history', as: 'alice' });
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

const CUSTOMERS = ['alice', 'bob', 'carol'];
const ORDERS = 9;

/**
 * Sagas of three customers whose credit is never enough, with repeated, late and concurrent steps, while their limits
 * change.
 */
export const creditRaces: Scenario = {
  name: 'credit-races',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<AccountCommand>(cloud, 'accounts');
    const random = world.random.fork('sagas');
    // Carol's account opens at her first order; the default limit would be enough for all.
    for (const customer of CUSTOMERS.slice(0, 2)) await orderly.call(limitOf(customer, 1000));
    for (let number = 0; number < ORDERS; number++) {
      const customer = CUSTOMERS[number % CUSTOMERS.length] ?? '';
      const begin = random.between(0, 3_000);
      for (const step of wayOf(stepsOf(customer, `order-${number}`, random.between(1, 8) * 100), random)) {
        const at = begin + random.between(0, 4_000);
        world.after(at, () => send(step));
        if (random.chance(0.4)) world.after(at + random.between(0, 3_000), () => send(step));
      }
    }
    for (const limit of [300, 2_000]) {
      world.after(random.between(0, 6_000), () => orderly.begin(limitOf(random.pick(CUSTOMERS), limit)));
    }
    await orderly.rest();
    return [...brokenPromises(orderly), ...(await readersSeeAccounts(orderly))];
  },
};

/**
 * A customer reads only their own account, in its current state; the list shows the customers who have used up their
 * credit.
 */
export async function readersSeeAccounts(orderly: Orderly): Promise<readonly Violation[]> {
  const { accounts, creditRows } = new Facts(orderly);
  const broken: Violation[] = [];
  const expect = (invariant: string, found: unknown, wanted: unknown): void => {
    const detail = `found ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`;
    if (JSON.stringify(found) !== JSON.stringify(wanted)) broken.push({ invariant, detail });
  };
  const read = async (path: string, as: string) => (await orderly.call({ method: 'GET', path, as })).reply;
  for (const [customer, commits] of accounts) {
    const version = commits.at(-1)?.lastVersion ?? 0;
    const view = toView(customer, accountAt(commits), version);
    const { body } = await read(`/accounts/${customer}`, customer);
    if (view) expect('a read account equals its events, folded', body, view);
    const then = commits[Math.floor(commits.length / 2)];
    const atThatTime = commits.findLast(({ at }) => at === then?.at);
    for (const [when, shown] of [
      [`version=${then?.lastVersion}`, then],
      [`at=${then?.at}`, atThatTime],
    ] as const) {
      const { body } = await read(`/accounts/${customer}?${when}`, customer);
      const wanted = toView(customer, accountAt(commits, shown?.lastVersion), shown?.lastVersion ?? 0);
      // A release that comes first is in the history of an account that is not open.
      if (wanted) expect('an account as it was equals its events until then, folded', body, wanted);
    }
    if (view) {
      const ids = commits.flatMap(({ events }) => events.map(({ id }) => id));
      const paged = await itemsOfPages(orderly, `/accounts/${customer}/history?limit=7`, customer);
      expect(
        'the pages of a history have all events, oldest first',
        paged.map(({ id }) => id),
        ids,
      );
    }
    expect(
      "no customer reads another customer's account",
      (await read(`/accounts/${customer}`, 'mallory')).status,
      404,
    );
  }
  const { items } = (await read('/accounts?creditExhausted=true', 'operator')).body;
  const shown = (items as readonly { customerId: string }[]).map(({ customerId }) => customerId);
  const rows = [...creditRows].filter(([, { exhaustedPk }]) => exhaustedPk !== undefined).map(([customer]) => customer);
  expect('the list shows every exhausted account', shown, rows.sort());
  return broken;
}

/**
 * Chooses how far a saga proceeds: an order that is captured, one that ends before, one that ends before it began, one
 * that is refunded.
 */
function wayOf(steps: ReturnType<typeof stepsOf>, random: Random): readonly AccountCommand[] {
  const { authorize, capture, release, refund } = steps;
  return random.pick([[authorize, capture], [authorize, release], [authorize], [authorize, capture, refund]] as const);
}
