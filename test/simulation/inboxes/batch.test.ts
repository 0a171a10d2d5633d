import { expect, test } from 'vitest';
import { playWithFaults } from '../../../packages/simulator/search/scenario.js';
import { salesOfWindows } from './batch.js';
import { deployment, keepPromises } from './playing.js';
import { itemsIn } from './shop.js';

/** An inbox in mode batch as it is deployed: nothing but the inbox guards the counts of its windows. */

test('each window closes once with its own messages without a fault, and a late one is in the next', async () => {
  const { violations, cloud } = await playWithFaults(deployment, salesOfWindows, 'singles');
  expect(violations).toEqual([]);
  const reports = itemsIn(cloud).filter(({ pk }) => String(pk).startsWith('Report#'));
  expect(reports.map(({ sales = 0, late = 0, place, closed }) => ({ sales, late, place, closed }))).toEqual([
    { sales: 5, late: 0, place: 1, closed: 1 },
    { sales: 1, late: 1, place: 2, closed: 1 },
    // With the one that came while it was being closed.
    { sales: 3, late: 0, place: 3, closed: 1 },
  ]);
});

keepPromises([salesOfWindows], 500);
