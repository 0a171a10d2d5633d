import { expect, inject } from 'vitest';
import type { World } from '../acceptance/world.js';
import { LocalCloudWorld } from './local-cloud-world.js';
import { LocalStackWorld } from './localstack-world.js';
import { SimulatorWorld } from './simulator-world.js';

/** Knows which world: vitest.config.ts says so, by project. */
export const inSimulator = process.env.ORDERLY_WORLD === 'simulator';
const inLocalCloud = process.env.ORDERLY_WORLD === 'local-cloud';

/** Files of scenarios that call every route, those of webhooks too. */
const HAVE_WEBHOOKS = /when-someone-else-asks|when-the-documented-requests/;

/** The world that the scenarios of a test file run in. */
export let world: World;

/**
 * Gives a test file its world: in the simulator a new cloud, so that no history depends on the files before it; elsewhere
 * they share one.
 */
export async function beginWorld(): Promise<void> {
  if (inLocalCloud) {
    world = await LocalCloudWorld.begin();
    return;
  }
  if (world instanceof SimulatorWorld) world.end();
  world = inSimulator
    ? new SimulatorWorld(process.env.ORDERLY_SEED ?? '1', {
        hasWebhooks: HAVE_WEBHOOKS.test(expect.getState().testPath ?? ''),
      })
    : new LocalStackWorld(inject('deployed'));
}

/** Says in a test's name why it is skipped where faults can't be made. */
export const needsFaults = `(needs faults by hand${
  inSimulator || inLocalCloud || inject('deployed').proxyUrl
    ? ''
    : ': there is no proxy for them under ORDERLY_ENDPOINT'
})`;
