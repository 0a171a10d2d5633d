import { inject } from 'vitest';
import type { World } from '../acceptance/world.js';
import { LocalStackWorld } from './localstack-world.js';
import { SimulatorWorld } from './simulator-world.js';

/** The world that scenarios run in. The one place that knows which: vitest.config.ts says so, by project. */
export const world: World =
  process.env.ORDERLY_WORLD === 'simulator'
    ? new SimulatorWorld(process.env.ORDERLY_SEED ?? '1')
    : new LocalStackWorld(inject('deployed'));

/** Says in a test's name why it is skipped where faults can't be made. */
export const needsFaults = `(needs faults by hand${
  world.makesFaults ? '' : ': there is no proxy for them under ORDERLY_ENDPOINT'
})`;
