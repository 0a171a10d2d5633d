import { expect, test } from 'vitest';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playSingleFaults } from '../../packages/simulator/search/singles.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { commandOf } from './cli/replay.js';
import { rejectOne } from './scenarios/place-one.js';

/**
 * Crashes after every call while an order is rejected, so between every two writes. A crash before a call leaves what the
 * crash after the previous call leaves. The singles of `place-one` do the same while an order is placed and cancelled.
 */
test('a crash after any call while an order is rejected breaks no promise', async () => {
  const { runs, broken } = await playSingleFaults(loadSharedDeployment(prodAssembly()), rejectOne, {
    kinds: ['killed-after'],
  });
  const told = broken.slice(0, 3).map((history) => renderReport(history, commandOf(history, 'singles')));
  expect(told.join('\n\n')).toBe('');
  // The search must have had something to search.
  expect(runs).toBeGreaterThan(15);
});
