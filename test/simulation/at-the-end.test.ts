import { expect, test } from 'vitest';
import type { Fault } from '../../packages/simulator/engine/faults.js';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playWithFaults, type Scenario } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { type Answered, type Call, Orderly } from '../support/simulation/orderly.js';
import { brokenPromises } from './invariants/broken-promises.js';
import { cancellationOf, HOUR, MINUTE, orderOf, placed, stocked } from './scenarios/shop.js';

const deployment = loadSharedDeployment(prodAssembly());

/** A call whose key or session ends. */
interface Ending {
  readonly call: Call;
  /** Milliseconds until the end. */
  readonly within: number;
}

const withIssuedKey = async (orderly: Orderly): Promise<Ending> => {
  const { reply } = await orderly.call({ method: 'POST', path: '/idempotency-keys', as: 'alice' });
  return { call: orderOf('alice', String(reply.body.idempotencyKey), ['TEA-1']), within: 24 * HOUR };
};

const inSession = async (orderly: Orderly): Promise<Ending> => {
  const order = await placed(orderly, 'alice', 'order');
  await orderly.rest();
  const { reply } = await orderly.call({ method: 'POST', path: '/sessions', as: 'alice' });
  const { key: _, ...call } = cancellationOf('alice', order.reply.body.orderId, '');
  return { call: { ...call, numbered: { session: String(reply.body.sessionId), number: 1 } }, within: HOUR };
};

// A client whose request is finally refused as too late sends a new request. The late write of its first try would then be
// a second effect.
test.each([
  ['an issued key', 'Orders/PlaceOrder', withIssuedKey, { status: 201, body: { status: 'PENDING' } }],
  ['a session', 'Orders/CancelOrder', inSession, { status: 200, body: { status: 'CANCELLED' } }],
])(
  'a write of the first try that lands after the end of %s is answered, not refused before it lands',
  async (_, owner, prepare, reply) => {
    let answered: readonly Answered[] = [];
    const scenario: Scenario = {
      name: 'at-the-end',
      faultProbability: 0,
      async play(cloud) {
        const orderly = new Orderly(cloud);
        await stocked(orderly, { 'TEA-1': 10 });
        const { call, within } = await prepare(orderly);
        await cloud.world.pass(within - 2_000);
        orderly.begin(call);
        await cloud.world.pass(5 * MINUTE);
        await orderly.rest();
        answered = orderly.answered.slice(-1);
        return brokenPromises(orderly);
      },
    };
    const play = (faults: readonly Fault[]) => playWithFaults(deployment, scenario, 'singles', faults);

    const { points } = await play([]);
    const writes = points.filter(({ id, kinds }) => id.startsWith(`${owner} call`) && kinds.includes('very-late'));
    const [, first = ''] = / (\d+)$/.exec(writes[0]?.id ?? '') ?? [];
    // The connection breaks, and what the SDK sends then has no answer until the function's timeout.
    const history = await play([
      { point: `${owner} call ${first}`, kind: 'very-late' },
      { point: `${owner} call ${Number(first) + 1}`, kind: 'hung-before' },
    ]);
    if (history.violations.length > 0) expect.fail(renderReport(history, 'at-the-end.test.ts'));
    expect(answered).toMatchObject([{ reply }]);
  },
);
