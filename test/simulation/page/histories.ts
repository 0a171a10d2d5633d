import type { AppHistories } from '../../../packages/simulator/histories/app-histories.js';
import { loadSharedDeployment } from '../../support/simulation/app-code.js';
import { prodAssembly } from '../../support/simulation/assembly.js';
import { commandOf } from '../cli/replay.js';
import { planted } from '../planted/plant.js';
import { payOnce } from '../scenarios/payments.js';
import { placeOne } from '../scenarios/place-one.js';
import { findGuard, GUARDS } from './guards.js';
import { CRASH, FIVE_TIMES } from './naive-and-idempotent.js';

/** Histories of Orderly that the page of a local cloud plays. */
export const histories: AppHistories = {
  scenarios: [
    {
      id: payOnce.name,
      label: 'A payment and its refunds',
      about:
        'Alice pays, her request is repeated, a part is refunded, then the rest. A stranger tries to get the money.',
      scenario: payOnce,
    },
    {
      id: placeOne.name,
      label: 'An order, placed and cancelled',
      about: 'Alice places an order and cancels it. Both requests are repeated. Nine services take part.',
      scenario: placeOne,
    },
  ],
  guards: GUARDS.map(({ bug: _, ...guard }) => guard),
  comparisons: [FIVE_TIMES, CRASH],
  recorded:
    'npm run prove plays every history, with and without each guard, and writes what it found to docs/proof.md.',
  deploy: async (guard) =>
    guard === undefined ? loadSharedDeployment(prodAssembly()) : planted(prodAssembly(), findGuard(guard).bug),
  replay: ({ scenario, faults, guard }) => {
    const command = commandOf({ scenario, seed: 'singles', faults }, 'singles');
    return guard === undefined ? command : `${command} --planted "${findGuard(guard).bug.name}"`;
  },
};
