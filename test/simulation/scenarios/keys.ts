import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { type Answered, type Call, Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { bonusOf } from './accounts.js';
import { cancellationOf, HOUR, orderOf, stocked } from './shop.js';

/**
 * Keys that the server issued, before and after their day; `auto`; one key of two customers, and one with two bodies.
 */
export const keys: Scenario = {
  name: 'keys',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const broken: Violation[] = [];
    const expect = async (call: Call, status: number, code?: string): Promise<Answered> => {
      const answered = await orderly.call(call);
      const { status: found, body } = answered.reply;
      const wrong = found !== status || (code !== undefined && body.type !== `urn:orderly:problem:${code}`);
      if (wrong)
        broken.push({ invariant: 'keys are answered as documented', detail: told(call, found, body.type, status) });
      return answered;
    };
    const issued = async (as: string): Promise<string> =>
      String((await orderly.call({ method: 'POST', path: '/idempotency-keys', as })).reply.body.idempotencyKey);
    await stocked(orderly, { 'TEA-1': 10 });

    const [used, unused, forCancel] = [await issued('alice'), await issued('alice'), await issued('alice')];
    const patch: Call = {
      method: 'PATCH',
      path: '/users/me',
      as: 'alice',
      key: await issued('alice'),
      body: { name: 'Alice' },
    };
    await expect(patch, 200);
    const order = orderOf('alice', used, ['TEA-1']);
    const { reply } = await expect(order, 201);
    const cancel = cancellationOf('alice', reply.body.orderId, forCancel);
    await expect(cancel, 200);
    const auto = (reference: string) => orderOf('bob', 'auto', ['TEA-1'], 1, `reference ${reference}`);
    await expect(auto('one'), 201);
    await expect(auto('two'), 201);
    await expect(orderOf('bob', 'auto', ['TEA-1']), 400);
    // Alice's key counts as Bob's own key if Bob uses it; with another body it is refused.
    await expect(orderOf('bob', used, ['TEA-1']), 201);
    await expect(orderOf('alice', used, ['TEA-1'], 2), 422, 'key-reused');
    await expect({ ...orderOf('alice', '', ['TEA-1']) }, 400, 'key-missing');
    // The same of a key that changes something.
    const bonus = (points: number) => bonusOf('alice', points, 'bonus');
    await expect(bonus(10), 201);
    await expect(bonus(20), 422, 'key-reused');
    await orderly.rest();

    await world.pass(25 * HOUR);
    // A replay is answered forever; a first use after the day is refused as too late, each time.
    await expect(order, 201);
    await expect(cancel, 200);
    await expect(patch, 200);
    await expect(auto('one'), 201);
    const late = orderOf('alice', unused, ['TEA-1']);
    await expect(late, 422, 'key-expired');
    await expect(late, 422, 'key-expired');
    await expect(cancellationOf('alice', reply.body.orderId, unused), 422, 'key-expired');
    await orderly.rest();
    const orders = new Set(
      orderly.answered.flatMap(({ reply: { status, body } }) => (status === 201 ? [body.orderId] : [])),
    );
    orders.delete(undefined);
    if (orders.size !== 4) broken.push({ invariant: 'each key has its own order', detail: `${orders.size}, not 4` });
    return [...broken, ...brokenPromises(orderly)];
  },
};

const told = ({ as, path, key }: Call, found: number, type: unknown, wanted: number): string =>
  `${as} ${path} ${key}: ${found} ${String(type)}, not ${wanted}`;
