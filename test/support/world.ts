import { inject } from 'vitest';
import type { World } from '../acceptance/world.js';
import { LocalStackWorld } from './localstack-world.js';

/** The world that scenarios run in. The one place that knows which: a simulator takes its place here. */
export const world: World = new LocalStackWorld(inject('deployed'));

/** Says in a test's name why it is skipped where faults can't be made. */
export const needsFaults = `(needs the proxy between functions and endpoint${
  world.makesFaults ? '' : ': not there under ORDERLY_ENDPOINT'
})`;
