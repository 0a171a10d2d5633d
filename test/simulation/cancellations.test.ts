import { expect, test } from 'vitest';
import type { Fault } from '../../packages/simulator/engine/faults.js';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playWithFaults } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { Facts } from '../support/simulation/facts.js';
import { Orderly } from '../support/simulation/orderly.js';
import { commandOf } from './cli/replay.js';
import { AT_REST, cancelAt, type Race } from './scenarios/cancel-at.js';

const deployment = loadSharedDeployment(prodAssembly());

/** Of so many moments one is played here; with `ORDERLY_EVERY_MOMENT` all of them (minutes). */
const STRIDE = process.env.ORDERLY_EVERY_MOMENT ? 1 : 19;

/** How an order and its reservation ended, whenever its cancellation came. */
async function endsOf(race: Race, faults: readonly Fault[] = []): Promise<ReadonlySet<string>> {
  const ends = new Set<string>();
  for (let moment = 0, atRest = false; !atRest; moment += STRIDE) {
    const history = await playWithFaults(deployment, cancelAt(moment, race), 'singles', faults);
    if (history.violations.length > 0) expect.fail(renderReport(history, commandOf(history, 'singles')));
    const facts = new Facts(new Orderly(history.cloud));
    for (const [id, commits] of facts.orders) {
      const events = commits.flatMap(({ events }) => events.map(({ type }) => type));
      ends.add(`${events.join(' ')} / ${facts.reservation(id)?.type}`);
    }
    atRest = history.trace.some((line) => line.includes(AT_REST));
  }
  return ends;
}

const PENDING = 'OrderPlaced OrderCancelled';
const APPROVED = 'OrderPlaced OrderApproved OrderCancelled';
const REJECTED = 'OrderPlaced OrderRejected';

/** How it may end, each of which must come about: the order by its events / its reservation. */
const ENDS: Readonly<Record<Race, readonly string[]>> = {
  approval: [`${PENDING} / undefined`, `${PENDING} / StockReleased`, `${APPROVED} / StockReleased`],
  rejection: [`${PENDING} / undefined`, `${PENDING} / StockRejected`, `${REJECTED} / StockRejected`],
  decline: [`${PENDING} / undefined`, `${PENDING} / StockReleased`, `${REJECTED} / StockReleased`],
};

test.each(Object.keys(ENDS) as Race[])(
  'a cancellation at any moment of an order on its way to its %s breaks no promise',
  async (race) => {
    const ends = await endsOf(race);
    for (const end of ENDS[race]) expect(ends).toContain(end);
  },
);

test('a cancellation at any moment before inventory knows the order breaks no promise', async () => {
  const delayed = [{ point: 'Inventory/Commands/Queue message 1', kind: 'delayed' }] as const;
  expect(await endsOf('approval', delayed)).toContain(`${PENDING} / ReservationVoided`);
});
