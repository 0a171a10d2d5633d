import { describe, expect, test } from 'vitest';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playSeed } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import {
  ACKNOWLEDGES_NEWER,
  besidePreviousRelease,
  type Changes,
  KNOWS_NO_SETTLEMENT,
  playsPreviousRelease,
} from '../support/simulation/previous-release.js';
import type { PlantedBug } from './planted/bug.js';
import { planted } from './planted/plant.js';
import { scenarioCalled } from './scenarios/all.js';
import { twoReleasesWith } from './scenarios/two-releases.js';

/** A release that knows version 1 only. */
const knowsTheFirst = {
  file: 'lambdas/orders/contract.ts',
  from: /OrderRejected: \{.*?\n {4}\},/s,
  to: 'OrderRejected: { version: 1, data: z.object({ orderId: OrderId, reason: RejectionReason }) },',
};

const folder = prodAssembly();
const scenario = scenarioCalled('reject-one');

/** Functions that are of the previous release, as a deployment or a rollback leaves them for a while. */
const MIXES: readonly (readonly [string, RegExp])[] = [
  ['all of them', /./],
  ['the one that rejects', /on-saga-message$/],
  ['those that read what is rejected', /(list-projection|get-order|order-history|cancel-order)$/],
];
const isPlayed = playsPreviousRelease();

test.skipIf(!isPlayed).each(MIXES)(
  'keeps every promise while orders are rejected, with the previous release in: %s',
  async (_, only) => {
    const history = await playSeed(await besidePreviousRelease(folder, only), scenario, '0');
    if (history.violations.length > 0) expect.fail(renderReport(history, 'releases.test.ts'));
  },
);

test('a release that does not know the version fails visibly, so this test would find others', async () => {
  const source = { ...knowsTheFirst, only: /list-projection$/ };
  const deployment = await planted(folder, { name: 'two releases at once', scenario: scenario.name, source });
  const { violations } = await playSeed(deployment, scenario, '0');
  expect(violations).not.toEqual([]);
});

/** A release of OrderPlaced: which version its publisher writes, and its step up from version 1. */
const orderPlaced = (writes: string, stepUp = '(data) => data'): NonNullable<PlantedBug['source']> => ({
  file: 'lambdas/orders/contract.ts',
  from: 'earlier: { 1: earlierShape(OrderPlaced1, (data) => data) },',
  to: `earlier: { 1: earlierShape(OrderPlaced1, ${stepUp}, ({ deliverTo: _, ...data }: any) => data) },
      ${writes},`,
});

interface Mix {
  readonly name: string;
  readonly source: NonNullable<PlantedBug['source']>;
  readonly scenario: string;
  /** Versions of OrderPlaced that come onto the bus. */
  readonly versions: readonly number[];
}
/** In these scenarios one function publishes OrderPlaced. */
const PUBLISHER = /place-order$/;
/** Here messages wait as failure records, and are sent again. */
const REDRIVEN = 'consumer-fails-26-hours';
const PUBLISHERS: readonly Mix[] = [
  {
    name: 'the publisher is of the release before',
    source: { ...orderPlaced('writes: 1'), only: PUBLISHER },
    scenario: 'place-one',
    versions: [1],
  },
  {
    name: 'failures of the release before are sent again',
    source: { ...orderPlaced('writes: 1'), only: PUBLISHER },
    scenario: REDRIVEN,
    versions: [1],
  },
  {
    name: 'publishers of both releases are there',
    source: { ...orderPlaced('get writes() { return Date.now() % 2 === 0 ? 1 : 2; }'), only: PUBLISHER },
    scenario: REDRIVEN,
    versions: [1, 2],
  },
  {
    name: 'the consumer is of the release before',
    source: { ...orderPlaced('writes: 1'), only: /on-saga-message$/ },
    scenario: 'place-one',
    versions: [2],
  },
];

test.each(PUBLISHERS)(
  'sagas follow the messages of orders and keep every promise while $name',
  async ({ name, source, scenario, versions }) => {
    const deployment = await planted(folder, { name, scenario, source });
    const seen = new Set<number>();
    // Another seed only if chance has left a version out.
    for (let seed = 0; seed < 4 && seen.size < versions.length; seed++) {
      const history = await playSeed(deployment, scenarioCalled(scenario), String(seed));
      if (history.violations.length > 0) expect.fail(renderReport(history, `releases.test.ts, seed ${seed}`));
      for (const { event } of history.cloud.events.accepted) {
        const { type, dataschema } = event.detail as Envelope;
        if (type === 'OrderPlaced') seen.add(Number(dataschema.split(':').at(-1)));
      }
    }
    expect([...seen].toSorted()).toEqual(versions);
  },
);

test.each(['place-one', REDRIVEN])(
  '%s: finds an upcaster that gives the saga another quantity, since it changes the effect',
  async (name) => {
    const oneMore = 'lines: data.lines.map((line) => ({ ...line, quantity: line.quantity + 1 }))';
    const stepUp = `(data) => (process.env.CONSUMER === 'orders-saga' ? { ...data, ${oneMore} } : data)`;
    const source = { ...orderPlaced('writes: 1', stepUp), only: /(place-order|on-saga-message)$/ };
    const deployment = await planted(folder, { name: 'a wrong step up', scenario: name, source });
    const { violations } = await playSeed(deployment, scenarioCalled(name), '0');
    expect(violations.map(({ invariant }) => invariant)).toContain('the reserved lines are the ordered lines');
  },
);

describe.skipIf(!isPlayed)('a previous release that does not know an event', () => {
  const played = (changes: Changes) =>
    playSeed(loadSharedDeployment(folder), twoReleasesWith('two-releases', changes), '1');

  test('waits for the deployment, and keeps every promise', async () => {
    const history = await played(KNOWS_NO_SETTLEMENT);
    if (history.violations.length > 0) expect.fail(renderReport(history, 'releases.test.ts'));
  });

  test('a release that acknowledges the event is found, during a deployment or after a rollback', async () => {
    const { violations } = await played({
      ...KNOWS_NO_SETTLEMENT,
      patches: [...KNOWS_NO_SETTLEMENT.patches, ACKNOWLEDGES_NEWER],
    });
    expect(violations.map(({ invariant }) => invariant)).toContain(
      'no message is deleted without an effect or a record',
    );
  });
});
