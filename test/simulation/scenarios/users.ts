import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { type Answered, type Call, Orderly } from '../support/orderly.js';
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

/**
 * Users patch their profiles, each request twice, while operators change their statuses and orders are placed; one of
 * them asks twice to be forgotten meanwhile. Then every patch is repeated once more: it must not undo a later one. At
 * last one user is blocked, and active again.
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

    const before = new Map<string, string>();
    for (const person of PEOPLE) before.set(person, shown(await orderly.call(read(person))));
    for (const patch of patches) await orderly.call(patch);
    await orderly.call(statusOf('cyd', 'BLOCKED'));
    await orderly.rest();
    const blocked = await orderly.call(orderOf('cyd', 'refused', ['TEA-1']));
    await orderly.call(statusOf('cyd', 'ACTIVE'));
    await orderly.rest();
    const active = await orderly.call(orderOf('cyd', 'accepted', ['TEA-1']));
    const broken: Violation[] = [];
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

/** Returns the profile of a user; the status is changed on purpose. */
function shown({ reply }: Answered): string {
  const { status: _, version: __, ...profile } = reply.body;
  return JSON.stringify(profile);
}

const expected = ({ reply, as }: Answered, status: number, invariant: string): readonly Violation[] =>
  reply.status === status ? [] : [{ invariant, detail: `${reply.status} ${String(reply.body.type)}`, about: as }];
