import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { type Answered, type Call, Orderly } from '../../support/simulation/orderly.js';
import { findMapping } from '../../support/simulation/reading.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { orderOf, stocked } from './shop.js';

const PEOPLE = ['ada', 'bea', 'cyd'] as const;
/** A user who is forgotten while the others write. */
const FORGOTTEN = 'bea';
/** Milliseconds in which all requests begin. */
const WHILE = 4_000;

const addressOf = (person: string) => ({
  street: `Street of ${person}`,
  city: `City of ${person}`,
  postalCode: `Code of ${person}`,
  country: 'DE',
});

const patchOf = (person: string, key: string, body: object): Call => ({
  method: 'PATCH',
  path: '/users/me',
  as: person,
  key: `${person}-${key}`,
  body,
});

export const statusOf = (person: string, status: string): Call => ({
  method: 'PUT',
  path: `/users/${person}/status`,
  as: 'operator',
  body: { status, reason: `Reason about ${person}` },
});

const forgetOf = (person: string, key: string): Call => ({
  method: 'DELETE',
  path: '/users/me',
  as: person,
  key: `${person}-${key}`,
});

const read = (person: string): Call => ({ method: 'GET', path: `/users/${person}`, as: 'operator' });

const deliveredTo = (order: ReturnType<typeof orderOf>, place: string) => ({
  ...order,
  body: { ...order.body, deliverTo: { name: `Recipient of ${place}`, ...addressOf(place) } },
});

/** Orders of a user while they are suspect, and what an operator decides about the first one. */
const REVIEWED = [
  {
    person: 'ada',
    decision: 'approve',
    orders: [
      [deliveredTo(orderOf('ada', 'suspect', ['TEA-1']), 'dan'), true],
      [deliveredTo(orderOf('ada', 'held', ['TEA-1']), 'ada'), false],
    ],
  },
  // A forgotten user has no address to compare.
  {
    person: FORGOTTEN,
    decision: 'reject',
    orders: [
      [orderOf(FORGOTTEN, 'suspect', ['TEA-1']), false],
      [orderOf(FORGOTTEN, 'held', ['TEA-1']), false],
    ],
  },
] as const;

/**
 * Users patch their profiles, each request twice, while operators change their statuses and orders are placed; one of
 * them asks twice to be forgotten meanwhile. Then orders of suspect users are reviewed and released; one user is suspect
 * twice before their order's saga begins. Every patch is repeated once more: it must not undo a later one. At last one user is blocked, and active again.
 */
export const userRaces: Scenario = {
  name: 'user-races',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const random = world.random.fork('users');
    await stocked(orderly, { 'TEA-1': 100 });
    const patches = PEOPLE.flatMap((person) => [
      patchOf(person, 'name', { name: `Name of ${person}` }),
      patchOf(person, 'address', { address: addressOf(person) }),
      patchOf(person, 'removed', { name: null, email: `${person}@example.org` }),
      patchOf(person, 'renamed', { name: `Other name of ${person}` }),
    ]);
    const twice = (call: Call): void => {
      const begin = random.between(0, WHILE);
      for (const repeat of [0, random.between(0, 1_000)]) world.after(begin + repeat, () => orderly.begin(call));
    };
    for (const patch of patches) twice(patch);
    for (const person of PEOPLE) {
      for (const status of ['SUSPECT', 'BLOCKED', 'ACTIVE']) twice(statusOf(person, status));
      twice(orderOf(person, 'meanwhile', ['TEA-1']));
    }
    orderly.forgotten.push(FORGOTTEN);
    for (const key of ['forget', 'forget-again']) twice(forgetOf(FORGOTTEN, key));
    await orderly.rest();
    // An operator reviews one order of each suspect user. Then all users are active, so every order ends.
    const broken: Violation[] = [];
    for (const { person, decision, orders } of REVIEWED) {
      await orderly.call(statusOf(person, 'SUSPECT'));
      await orderly.rest();
      const paths: string[] = [];
      for (const [order, isElsewhere] of orders) {
        const { reply } = await orderly.call(order);
        await orderly.rest();
        const path = `/orders/${String(reply.body.orderId)}`;
        paths.push(path);
        // A failed event of the user may leave orders without the newest address.
        if (![String(reply.body.orderId), `User/${person}`].some((subject) => hasFailed(orderly, subject)))
          broken.push(...isHeld(await orderly.call({ method: 'GET', path, as: 'operator' }), isElsewhere));
      }
      const body = { decision, note: `Note about ${person}` };
      for (const _ of ['first', 'repeat']) {
        orderly.begin({ method: 'PUT', path: `${paths[0]}/review`, as: 'operator', body });
      }
      for (const path of [`${paths[1]}`, `${paths[0]}/history`]) orderly.begin({ method: 'GET', path, as: person });
      await orderly.rest();
    }
    for (const person of PEOPLE) await orderly.call(statusOf(person, 'ACTIVE'));
    await orderly.rest();
    await suspectAgain(orderly, 'cyd');

    const before = new Map<string, string>();
    for (const person of PEOPLE) before.set(person, shown(await orderly.call(read(person))));
    for (const patch of patches) await orderly.call(patch);
    await orderly.call(statusOf('cyd', 'BLOCKED'));
    await orderly.rest();
    const blocked = await orderly.call(orderOf('cyd', 'refused', ['TEA-1']));
    await orderly.call(statusOf('cyd', 'ACTIVE'));
    await orderly.rest();
    const active = await orderly.call(orderOf('cyd', 'accepted', ['TEA-1']));
    for (const person of PEOPLE) {
      const after = shown(await orderly.call(read(person)));
      if (after === before.get(person)) continue;
      const detail = `${before.get(person)} became ${after}`;
      broken.push({ invariant: 'a repeated patch changes nothing', detail, about: person });
    }
    await orderly.rest();
    return [
      ...broken,
      ...expected(blocked, 403, 'who is blocked places no order'),
      ...expected(active, 201, 'who is active again places orders'),
      ...brokenPromises(orderly),
    ];
  },
};

/** An order whose saga has not begun while its user is suspect, active, and suspect again; at last the user is active. */
async function suspectAgain(orderly: Orderly, person: string): Promise<void> {
  const saga = findMapping(orderly.cloud, 'Orders/OnSaga');
  saga.enabled = false;
  await orderly.call(orderOf(person, 'again', ['TEA-1']));
  for (const status of ['SUSPECT', 'ACTIVE', 'SUSPECT']) {
    await orderly.call(statusOf(person, status));
    await orderly.cloud.world.pass(30_000);
  }
  saga.enabled = true;
  await orderly.rest();
  await orderly.call(statusOf(person, 'ACTIVE'));
  await orderly.rest();
}

/** Returns the profile of a user; the status is changed on purpose. */
function shown({ reply }: Answered): string {
  const { status: _, version: __, ...profile } = reply.body;
  return JSON.stringify(profile);
}

/** Whether a message about an order or a user has a failure record: the bus could not deliver it for a day. */
const hasFailed = (orderly: Orderly, subject: string): boolean =>
  [...new Facts(orderly).records.values()].some(
    ({ status, payload = '' }) => status === 'FAILED' && payload.includes(subject),
  );

/** Checks that an order waits for its review, and whether it is marked since it goes to another address. */
function isHeld({ reply, path }: Answered, isElsewhere: boolean): readonly Violation[] {
  const { status, reviewReasons = [] } = reply.body as { status?: string; reviewReasons?: readonly string[] };
  if (status === 'UNDER_REVIEW' && reviewReasons.includes('OTHER_ADDRESS') === isElsewhere) return [];
  const detail = `${path} is ${status}: ${reviewReasons.join(', ')}`;
  return [{ invariant: 'an order of a suspect user is reviewed, with its reasons', detail, about: path }];
}

const expected = ({ reply, as }: Answered, status: number, invariant: string): readonly Violation[] =>
  reply.status === status ? [] : [{ invariant, detail: `${reply.status} ${String(reply.body.type)}`, about: as }];
