import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { type Call, Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { limitOf } from './accounts.js';
import { productOf, stocked } from './shop.js';
import { statusOf } from './users.js';

/** A resource that is changed by the version that its reader has seen. */
interface Resource {
  readonly path: string;
  readonly as: string;
  /** Returns one of several changes: their values differ from each other, and from the present one. */
  readonly change: (number: number) => Call;
}

const RESOURCES: readonly Resource[] = [
  {
    path: '/stock/TEA-1',
    as: 'operator',
    change: (number) => ({ method: 'PUT', path: '/stock/TEA-1', as: 'operator', body: { onHand: 10 + number } }),
  },
  { path: '/products/TEA-1', as: 'operator', change: (number) => productOf('TEA-1', 400 + number) },
  { path: '/accounts/alice', as: 'operator', change: (number) => limitOf('alice', 2000 + number) },
  {
    path: '/users/alice',
    as: 'operator',
    change: (number) => statusOf('alice', number === 0 ? 'SUSPECT' : 'BLOCKED'),
  },
  {
    path: '/users/me',
    as: 'bob',
    change: (number) => ({
      method: 'PATCH',
      path: '/users/me',
      as: 'bob',
      key: `name-${number}`,
      body: { name: `Name ${number}` },
    }),
  },
];

/**
 * Two changes of one version of each resource at once, each sent twice: one of them is accepted. Then the keys of both come with
 * other changes, of which the key that was used accepts none.
 */
export const ifMatch: Scenario = {
  name: 'if-match',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const random = world.random.fork('changes');
    await stocked(orderly, { 'TEA-1': 5 });
    await orderly.call(limitOf('alice', 1000));
    for (const { path, as, change } of RESOURCES) {
      const { reply } = await orderly.call({ method: 'GET', path, as });
      for (const number of [0, 1]) {
        const call = { ...change(number), ifMatch: Number(reply.body.version) };
        const at = random.between(0, 300);
        for (const repeat of [0, random.between(0, 1_000)]) world.after(at + repeat, () => orderly.begin(call));
      }
    }
    await orderly.rest();
    for (const { change } of RESOURCES) {
      const { key, ...call } = change(2);
      if (key === undefined) continue;
      for (const number of [0, 1]) await orderly.call({ ...call, key: String(change(number).key) });
    }
    await orderly.rest();
    return [...oneChangeOfAVersion(orderly), ...brokenPromises(orderly)];
  },
};

/** Of the changes of one version, exactly one is accepted, however often each of them is sent. */
function oneChangeOfAVersion({ answered }: Orderly): readonly Violation[] {
  const accepted = new Map<string, Set<string>>();
  for (const { method, path, as, ifMatch: version, body, reply } of answered) {
    if (version === undefined) continue;
    const of = `${method} ${path} of ${as} at ${version}`;
    const bodies = accepted.get(of) ?? new Set<string>();
    accepted.set(of, reply.status === 200 ? bodies.add(JSON.stringify(body)) : bodies);
  }
  return [...accepted]
    .filter(([, bodies]) => bodies.size !== 1)
    .map(([of, bodies]) => ({
      invariant: 'of the changes of one version, one is accepted',
      detail: `${of}: ${[...bodies].join(', ') || 'none'}`,
    }));
}
