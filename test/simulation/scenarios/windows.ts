import { Env } from '../../../packages/kit/aws/environment.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { bonusOf } from './accounts.js';
import { processedIn, quarantined, redeliver } from './redelivery.js';
import { DAY, placed, stocked } from './shop.js';

/** Days of the window that is deployed. */
const BEFORE = 35;
/** Day on which the new window begins. It is deployed half a day before. */
const CHANGED = 10;

interface Change {
  readonly name: string;
  /** Days of the new window. */
  readonly after: number;
  /** Days on which all events of the bus are redelivered, and requests are repeated. */
  readonly again: readonly number[];
  /** Last day on which the request of day 0, and that of day 12, is recognised. */
  readonly recognised: readonly [early: number, late: number];
}

/**
 * The deduplication window changes in the middle of a history, by a deployment. What happened before and after the change is
 * redelivered weeks later: what has no record any more is quarantined, however long the window is by then.
 */
const windowChange = ({ name, after, again, recognised }: Change): Scenario => ({
  name,
  faultProbability: 0.003,
  conditions: { ttlLag: 0 },
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud);
    const begun = world.now;
    const since = (day: number): string => new Date(begun + day * DAY).toISOString();
    const days = (number: number): number => (number * DAY) / 1000;
    const until = (day: number): Promise<void> => world.pass(begun + day * DAY - world.now);
    await stocked(orderly, { 'TEA-1': 5 });
    const [early, late] = [bonusOf('alice', 100, 'early'), bonusOf('bob', 70, 'late')];
    await placed(orderly, 'alice', 'early');
    await orderly.call(early);
    await orderly.rest();
    await until(CHANGED - 0.5);
    deployWindow(cloud, [
      { from: since(0), seconds: days(BEFORE) },
      { from: since(CHANGED), seconds: days(after) },
    ]);
    await until(CHANGED + 2);
    await placed(orderly, 'bob', 'late');
    await orderly.call(late);
    await orderly.rest();
    const all = events.accepted.filter(({ event }) => event.source.startsWith('orderly.'));
    const processed = processedIn(orderly);
    for (const day of again) {
      await until(day);
      redeliver(cloud, all);
      if (day < recognised[0]) await orderly.call(early);
      if (day < recognised[1]) await orderly.call(late);
      await orderly.rest();
    }
    const tooOld = brokenPromises(orderly, ({ failures }) => failures?.[0]?.name === 'TooOld');
    return [...tooOld, ...quarantined(orderly, processed)];
  },
});

/** Deploys every function that knows the window with these windows. */
function deployWindow(
  { functions }: Cloud,
  windows: readonly { readonly from: string; readonly seconds: number }[],
): void {
  for (const fn of functions.values()) {
    if (!(Env.DEDUPE_WINDOW_SECONDS in fn.variables)) continue;
    fn.update({ variables: { ...fn.variables, [Env.DEDUPE_WINDOW_SECONDS]: JSON.stringify(windows) } });
  }
}

/** A longer window brings no record back. */
export const windowRaised = windowChange({
  name: 'window-raised',
  after: 60,
  again: [40, 65, 100],
  recognised: [35, 72],
});
/** Records of the longer window stay; those of the shorter one expire earlier. */
export const windowLowered = windowChange({
  name: 'window-lowered',
  after: 25,
  again: [30, 40, 70],
  recognised: [35, 37],
});
