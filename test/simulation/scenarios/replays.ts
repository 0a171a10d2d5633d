import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { Replayer } from '../../support/simulation/replayer.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { DAY, orderOf, placed, stocked } from './shop.js';

/** Consumers that are deployed late, and the beginnings of their constructs' paths: a plain one, and a sequential inbox. */
const LATE = { 'accounts-payments': 'Accounts/Settlements', 'rewards-accounts': 'Rewards/' } as const;

/** Days of their deduplication window: an operator reads each hour of the feed, so a history of 40 days would take a minute. */
const WINDOW_DAYS = 2;

/** Messages after which the operator stops the first run of a replay. */
const STOP_AFTER = 2;

/**
 * Two consumers are deployed two days after the first orders, whose events the age gate refuses by then. An
 * operator replays the feed to them, stops it and continues it, while orders come.
 */
export const deployedLater: Scenario = {
  name: 'deployed-later',
  faultProbability: 0.003,
  conditions: { ttlLag: 0 },
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud, ['rewards']);
    const replayer = new Replayer(orderly);
    const begun = new Date(world.now).toISOString();
    replayer.before(Object.values(LATE));
    await stocked(orderly, { 'TEA-1': 9 });
    for (const customer of ['alice', 'bob']) await placed(orderly, customer, 'early');
    await orderly.rest();
    await world.pass(WINDOW_DAYS * DAY);
    await placed(orderly, 'alice', 'later');
    await orderly.rest();
    const window = (WINDOW_DAYS * DAY) / 1_000;
    for (const [consumer, label] of Object.entries(LATE))
      replayer.deploy(consumer, label, window, consumer === 'accounts-payments');
    orderly.begin(orderOf('alice', 'live', ['TEA-1']));
    for (const consumer of Object.keys(LATE)) {
      orderly.begin(orderOf('bob', `live ${consumer}`, ['TEA-1']));
      const { runs, sent } = await replayer.replay(consumer, begun, STOP_AFTER);
      // A fault may keep an order from its payment until an operator redrives it, so there is less to send.
      const isWrong = sent > STOP_AFTER ? runs < 2 : cloud.faults.injected.length === 0;
      if (isWrong) return [{ invariant: 'a replay is stopped and continued', detail: `${runs}, ${sent}` }];
    }
    await orderly.rest();
    return brokenPromises(orderly);
  },
};
