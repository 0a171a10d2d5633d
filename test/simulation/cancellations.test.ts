import { expect, test } from 'vitest';
import type { Fault } from '../simulator/aws/faults.js';
import { deploymentOf } from '../simulator/cloud.js';
import { report } from '../simulator/search/report.js';
import { playWith } from '../simulator/search/scenario.js';
import { commandOf } from './cli/replay.js';
import { AT_REST, cancelAt } from './scenarios/cancel-at.js';
import { prodAssembly } from './support/assembly.js';
import { Facts } from './support/facts.js';
import { Orderly } from './support/orderly.js';

const deployment = deploymentOf(prodAssembly());

/** How an order and its reservation ended, whenever its cancellation came. */
async function endsOf(race: 'approval' | 'rejection', faults: readonly Fault[] = []): Promise<readonly string[]> {
  const ends = new Set<string>();
  for (let moment = 0, atRest = false; !atRest; moment++) {
    const history = await playWith(deployment, cancelAt(moment, race), 'singles', faults);
    if (history.violations.length > 0) expect.fail(report(history, commandOf(history, 'singles')));
    const facts = new Facts(new Orderly(history.cloud));
    for (const [id, commits] of facts.orders) {
      const events = commits.flatMap(({ events }) => events.map(({ type }) => type));
      ends.add(`${events.join(' ')} / ${facts.reservation(id)?.type}`);
    }
    atRest = history.trace.some((line) => line.includes(AT_REST));
  }
  return [...ends];
}

test('at any moment of an approval a cancellation breaks no promise', async () => {
  const [before, after] = ['OrderPlaced OrderCancelled', 'OrderPlaced OrderApproved OrderCancelled'];
  expect(await endsOf('approval')).toEqual(
    expect.arrayContaining([`${before} / StockReleased`, `${after} / StockReleased`]),
  );
});

test('at any moment of a rejection a cancellation breaks no promise', async () => {
  const [before, after] = ['OrderPlaced OrderCancelled', 'OrderPlaced OrderRejected'];
  expect(await endsOf('rejection')).toEqual(
    expect.arrayContaining([`${before} / StockRejected`, `${after} / StockRejected`]),
  );
});

test('at any moment before its order is heard of a cancellation breaks no promise', async () => {
  const delayed = [{ point: 'Inventory/Reservations/Queue message 1', kind: 'delayed' }] as const;
  expect(await endsOf('approval', delayed)).toContain('OrderPlaced OrderCancelled / ReservationVoided');
});
