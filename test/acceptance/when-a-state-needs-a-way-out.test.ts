import { afterEach, describe, expect, test } from 'vitest';
import type { AccountView } from '../../lambdas/accounts/contract.js';
import * as accounts from '../../lambdas/accounts/routes.js';
import type { OrderView } from '../../lambdas/orders/contract.js';
import * as orders from '../../lambdas/orders/routes.js';
import type { PaymentView } from '../../lambdas/payments/contract.js';
import * as payments from '../../lambdas/payments/routes.js';
import type { UserStatus, UserView } from '../../lambdas/users/contract.js';
import * as users from '../../lambdas/users/routes.js';
import { needsFaults, world } from '../support/world.js';
import { eur, getAccount } from './accounts.js';
import { approved, becomes, cancel, get, line, placed, stocked } from './orders.js';
import { chargedPayment, pay, shows } from './payments.js';
import { forgetMe, putStatus, reviewedAs, user } from './users.js';
import type { ApiRequest, ProblemBody } from './world.js';

/**
 * For each status of an order, a payment, a user and an account, and for each role: every route that changes such a thing is tried. A
 * status that a role can't leave is an end, or says here who can. Each refusal's advice must be possible for its caller.
 * Sagas have no routes: test/lambdas/orders/domain/create-order.test.ts goes over their statuses.
 */

afterEach(() => world.heal());

type Role = 'customer' | 'operator';

/** A request that may lead out of a status. */
interface Attempt {
  readonly route: string;
  readonly body?: object;
}

/** Ways out of a status: by role, each attempt that succeeds and the status that it leads to. */
interface Status<Id> {
  /** Makes one thing of this status. @returns its id, and the customer whom it belongs to */
  readonly make: () => Promise<{ readonly id: Id; readonly customer: string }>;
  readonly ways: Readonly<Record<Role, Readonly<Record<string, string>>>>;
  /** Why a role has no way out. */
  readonly none?: Partial<Readonly<Record<Role, string>>>;
}

/** Declared routes, by method and path. */
const DECLARED = new Map(
  [orders, payments, users, accounts].flatMap((module) =>
    Object.values(module).map((route) => [`${route.method} ${route.path}`, route as { roles?: readonly string[] }]),
  ),
);

/** Routes that an advice in a problem's detail names. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/cancel the order|can be cancelled/, 'POST /orders/{orderId}/cancellation'],
  [/approve it \(PUT|or reject it/, 'PUT /orders/{orderId}/review'],
  [/open it again \(PUT/, 'PUT /accounts/{customerId}/status'],
];

const nameOf = ({ route, body }: Attempt): string => (body === undefined ? route : `${route} ${JSON.stringify(body)}`);

/** Deployed routes that change a thing whose id is this parameter. */
const changing = async (parameter: string): Promise<readonly string[]> =>
  (await world.routes()).filter((route) => route.includes(`{${parameter}}`) && !route.startsWith('GET'));

function requestOf({ route, body }: Attempt, parameter: string, id: string, as: Role, customer: string): ApiRequest {
  const [method = '', path = ''] = route.split(' ');
  return {
    method: method as ApiRequest['method'],
    path: path.replace(`{${parameter}}`, id),
    as: as === 'operator' ? 'operator' : { customer },
    ...(body === undefined ? {} : { body }),
    ...(method === 'POST' ? { key: world.fresh('key') } : {}),
  };
}

/** Declares a test for each status: tries everything, and compares what succeeds with the ways that are named. */
function waysOut(
  thing: { readonly parameter: string; readonly statusOf: (id: string) => Promise<string> },
  attempts: readonly Attempt[],
  statuses: Readonly<Record<string, Status<string>>>,
): void {
  test('every route that changes one is tried', async () => {
    expect([...new Set(attempts.map(({ route }) => route))].sort()).toEqual(
      [...(await changing(thing.parameter))].sort(),
    );
  });

  for (const [name, { make, ways, none = {} }] of Object.entries(statuses)) {
    test.skipIf(name.includes(needsFaults) && !world.makesFaults)(name, async () => {
      let one = await make();
      const before = await thing.statusOf(one.id);
      for (const as of ['customer', 'operator'] as const) {
        expect(Object.keys(ways[as]).length > 0 || none[as] !== undefined, `${as}: a way out, or the reason`).toBe(
          true,
        );
        for (const attempt of attempts) {
          const { status, body } = await world.call<ProblemBody>(
            requestOf(attempt, thing.parameter, one.id, as, one.customer),
          );
          const after = await thing.statusOf(one.id);
          const leadsTo = ways[as][nameOf(attempt)];
          expect({ as, attempt: nameOf(attempt), status, after: after === before ? 'the same' : after }).toMatchObject({
            after: leadsTo ?? 'the same',
          });
          if (after !== before) one = await make();
          if (status < 400) continue;
          for (const [, advised] of ADVICE.filter(([words]) => words.test(body.detail ?? ''))) {
            const roles = DECLARED.get(advised)?.roles ?? [];
            expect(roles, `${body.detail}: ${advised}`).toContain(as);
          }
        }
      }
    });
  }
}

const REVIEW = 'PUT /orders/{orderId}/review';
const APPROVE = { route: REVIEW, body: { decision: 'approve' } };
const REJECT = { route: REVIEW, body: { decision: 'reject' } };
const CANCEL = { route: 'POST /orders/{orderId}/cancellation', body: {} };
const DISPATCH = { route: 'POST /orders/{orderId}/dispatch' };
const cancels = { [nameOf(CANCEL)]: 'CANCELLED' };

async function anOrder(make: (as: { customer: string }) => Promise<OrderView>) {
  const customer = world.fresh('user');
  const { orderId } = await make({ customer });
  return { id: orderId, customer };
}

const paid = () => anOrder(async (as) => approved([line(await stocked(1))], { as }));

const ORDERS: Readonly<Record<OrderView['status'] | 'UNDER_REVIEW, paid', Status<string>>> = {
  PENDING: {
    async make() {
      const sku = await stocked(1);
      await world.throttle('inventory/on-command', 'TransactWriteItems', { including: sku, times: 100 });
      const one = await anOrder((as) => placed([line(sku)], { as }));
      await world.faultsMet();
      return one;
    },
    ways: { customer: cancels, operator: cancels },
  },
  UNDER_REVIEW: {
    async make() {
      const customer = world.fresh('user');
      await reviewedAs(customer, 'SUSPECT');
      const { orderId } = await placed([line(await stocked(1))], { as: { customer } });
      await becomes(orderId, 'UNDER_REVIEW');
      return { id: orderId, customer };
    },
    ways: {
      customer: cancels,
      operator: { ...cancels, [nameOf(APPROVE)]: 'PENDING', [nameOf(REJECT)]: 'REJECTED' },
    },
  },
  'UNDER_REVIEW, paid': {
    async make() {
      const one = await paid();
      await putStatus(one.customer, 'SUSPECT');
      await becomes(one.id, 'UNDER_REVIEW');
      return one;
    },
    ways: {
      customer: cancels,
      operator: { ...cancels, [nameOf(APPROVE)]: 'APPROVED', [nameOf(REJECT)]: 'CANCELLED' },
    },
  },
  APPROVED: {
    make: paid,
    ways: { customer: cancels, operator: { ...cancels, [nameOf(DISPATCH)]: 'DISPATCHED' } },
  },
  DISPATCHED: {
    async make() {
      const one = await paid();
      await world.call(requestOf(DISPATCH, 'orderId', one.id, 'operator', one.customer));
      return one;
    },
    ways: { customer: {}, operator: {} },
    none: {
      customer: 'an end: goods that come back are refunded by an operator',
      operator: 'an end: its payment is refunded',
    },
  },
  REJECTED: {
    async make() {
      const one = await anOrder(async (as) => placed([line(await stocked(0))], { as }));
      await becomes(one.id, 'REJECTED');
      return one;
    },
    ways: { customer: {}, operator: {} },
    none: { customer: 'an end', operator: 'an end' },
  },
  CANCELLED: {
    async make() {
      const one = await paid();
      await cancel(one.id, { as: { customer: one.customer } });
      return one;
    },
    ways: { customer: {}, operator: {} },
    none: { customer: 'an end', operator: 'an end' },
  },
};

describe('an order', () => {
  const statusOf = async (id: string) => (await get(id)).body.status;
  const { PENDING, UNDER_REVIEW, ...others } = ORDERS;
  waysOut({ parameter: 'orderId', statusOf }, [DISPATCH, APPROVE, REJECT, CANCEL], {
    [`PENDING ${needsFaults}`]: PENDING,
    UNDER_REVIEW,
    ...others,
  });
});

const REFUND = { route: 'POST /payments/{paymentId}/refund', body: {} };

/** An amount that the sandbox declines. */
const DECLINED = 402_00;

const PAYMENTS: Readonly<
  Record<PaymentView['status'] | 'CHARGED, of an order' | 'CHARGED, of a dispatched order', Status<string>>
> = {
  PENDING: {
    async make() {
      const customer = world.fresh('user');
      await world.throttle('payments/charge-at-sandbox', 'TransactWriteItems', { including: customer, times: 100 });
      const { paymentId } = (await pay(customer, 4_200, world.fresh('key'))).body;
      await world.faultsMet();
      return { id: paymentId, customer };
    },
    ways: { customer: {}, operator: {} },
    none: {
      customer: 'it ends by itself, or an operator redrives it',
      operator: 'it ends by itself, or becomes a failure record: `failures redrive`',
    },
  },
  CHARGED: {
    async make() {
      const customer = world.fresh('user');
      return { id: await chargedPayment(customer, 4_200), customer };
    },
    ways: { customer: { [nameOf(REFUND)]: 'CHARGED, refunded' }, operator: { [nameOf(REFUND)]: 'CHARGED, refunded' } },
  },
  'CHARGED, of an order': {
    make: paid,
    ways: { customer: {}, operator: {} },
    none: { customer: 'it is refunded by the cancellation of its order', operator: 'as for the customer' },
  },
  'CHARGED, of a dispatched order': {
    async make() {
      const one = await ORDERS.DISPATCHED.make();
      // Payments have heard of the dispatch.
      await world.settled(one.id);
      return one;
    },
    ways: { customer: {}, operator: { [nameOf(REFUND)]: 'CHARGED, refunded' } },
    none: { customer: 'an operator refunds goods that come back' },
  },
  DECLINED: {
    async make() {
      const customer = world.fresh('user');
      const { paymentId } = (await pay(customer, DECLINED, world.fresh('key'))).body;
      await shows(paymentId, { status: 'DECLINED' });
      return { id: paymentId, customer };
    },
    ways: { customer: {}, operator: {} },
    none: { customer: 'an end', operator: 'an end' },
  },
};

describe('a payment', () => {
  const statusOf = async (id: string) => {
    const { status, refunds } = (await world.client('operator').getPayment({ paymentId: id })) as PaymentView;
    return refunds.length > 0 ? `${status}, refunded` : status;
  };
  const { PENDING, ...others } = PAYMENTS;
  waysOut({ parameter: 'paymentId', statusOf }, [REFUND], { [`PENDING ${needsFaults}`]: PENDING, ...others });
});

const toStatus = (status: UserStatus): Attempt => ({ route: 'PUT /users/{userId}/status', body: { status } });
const byOperator = (...statuses: readonly UserStatus[]) =>
  Object.fromEntries(statuses.map((status) => [nameOf(toStatus(status)), status]));
const aUser = (status: UserStatus) => async () => {
  const customer = world.fresh('user');
  await putStatus(customer, status);
  return { id: customer, customer };
};

const USERS: Readonly<Record<UserStatus | 'forgotten', Status<string>>> = {
  ACTIVE: {
    make: aUser('ACTIVE'),
    ways: { customer: {}, operator: byOperator('SUSPECT', 'BLOCKED') },
    none: { customer: 'no status to leave; DELETE /users/me forgets the user' },
  },
  SUSPECT: {
    make: aUser('SUSPECT'),
    ways: { customer: {}, operator: byOperator('ACTIVE', 'BLOCKED') },
    none: { customer: 'an operator judges users; their orders can be cancelled' },
  },
  BLOCKED: {
    make: aUser('BLOCKED'),
    ways: { customer: {}, operator: byOperator('ACTIVE', 'SUSPECT') },
    none: { customer: 'an operator judges users; the refusal of an order says: contact support' },
  },
  forgotten: {
    async make() {
      const one = await aUser('SUSPECT')();
      expect((await forgetMe(one.customer)).status).toBe(204);
      return one;
    },
    ways: { customer: {}, operator: byOperator('ACTIVE', 'BLOCKED') },
    none: { customer: 'an end: nothing of the profile is left' },
  },
};

describe('a user', () => {
  const statusOf = async (id: string) => ((await user(id)).body as UserView).status;
  waysOut({ parameter: 'userId', statusOf }, [toStatus('ACTIVE'), toStatus('SUSPECT'), toStatus('BLOCKED')], USERS);
});

type AccountStatus = AccountView['status'];
const setTo = (status: AccountStatus): Attempt => ({ route: 'PUT /accounts/{customerId}/status', body: { status } });
const anAccount = (status: AccountStatus) => async () => {
  const customer = world.fresh('customer');
  await world.client('operator').setAccountStatus({ customerId: customer, body: { status } });
  return { id: customer, customer };
};

const ACCOUNTS: Readonly<Record<AccountStatus, Status<string>>> = {
  OPEN: {
    make: anAccount('OPEN'),
    ways: { customer: {}, operator: { [nameOf(setTo('CLOSED'))]: 'CLOSED' } },
    none: { customer: 'an operator closes accounts' },
  },
  CLOSED: {
    make: anAccount('CLOSED'),
    ways: { customer: {}, operator: { [nameOf(setTo('OPEN'))]: 'OPEN' } },
    none: { customer: 'an operator opens it again; the refusal of a payment says: contact support' },
  },
};

describe('an account', () => {
  const statusOf = async (id: string) => (await getAccount(id)).body.status;
  const others: readonly Attempt[] = [
    { route: 'PUT /accounts/{customerId}/credit-limit', body: { creditLimit: eur(7) } },
    { route: 'POST /accounts/{customerId}/bonus', body: { points: 1, reason: 'a late parcel' } },
  ];
  waysOut({ parameter: 'customerId', statusOf }, [setTo('OPEN'), setTo('CLOSED'), ...others], ACCOUNTS);
});
