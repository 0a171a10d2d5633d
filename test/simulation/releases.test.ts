import { expect, test } from 'vitest';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { report } from '../../packages/simulator/search/report.js';
import { playSeed, playWith } from '../../packages/simulator/search/scenario.js';
import type { PlantedBug } from './planted/bugs.js';
import { entryPoints, planted } from './planted/plant.js';
import { scenarioCalled } from './scenarios/all.js';
import { discontinuedRaces } from './scenarios/catalog.js';
import { twoReleasesWith } from './scenarios/two-releases.js';
import { deploymentOf } from './support/app-code.js';
import { prodAssembly } from './support/assembly.js';
import { ACKNOWLEDGES_NEWER } from './support/previous-release.js';

/** The release before this one: it reads version 3 of OrderRejected, and writes version 2. */
const releaseBefore = {
  file: 'lambdas/orders/contract.ts',
  from: /OrderRejected: \{.*?\n {4}\},/s,
  to: `OrderRejected: {
    version: 3, writes: 2, data: OrderRejected3,
    earlier: {
      1: earlierShape(z.object({ orderId: OrderId, reason: RejectionReason2 }), (data) => ({ ...data, skus: [] })),
      2: earlierShape(OrderRejected2, (data) => data, (data: any) => data),
    },
  },`,
};

/** The one before that knows version 1 only. */
const releaseBeforeThat = {
  file: 'lambdas/orders/contract.ts',
  from: /OrderRejected: \{.*?\n {4}\},/s,
  to: 'OrderRejected: { version: 1, data: z.object({ orderId: OrderId, reason: RejectionReason }) },',
};

const folder = prodAssembly();
const scenario = scenarioCalled('reject-one');

/** The functions that a scenario calls: the others would be bundled for nothing. */
async function calledBy(name: string): Promise<RegExp> {
  const { cloud } = await playWith(deploymentOf(folder), scenarioCalled(name), 'singles');
  const called = [...cloud.functions.values()].filter(({ invocations }) => invocations > 0);
  const entries = entryPoints(
    folder,
    called.map(({ label }) => label),
  );
  return new RegExp(`^(${entries.join('|')})$`);
}

/** Functions that are of the release before, as a deployment or a rollback leaves them for a while. */
const MIXES: readonly (readonly [string, RegExp])[] = [
  ['all of them', await calledBy(scenario.name)],
  ['the one that rejects', /on-saga-message$/],
  ['those that read what is rejected', /(list-projection|get-order|order-history|cancel-order)$/],
];

test.each(MIXES)(
  'keeps every promise while orders are rejected in two versions, with the previous release in: %s',
  async (name, only) => {
    const deployment = await planted(folder, { name, scenario: scenario.name, source: { ...releaseBefore, only } });
    const history = await playSeed(deployment, scenario, '0');
    if (history.violations.length > 0) expect.fail(report(history, 'releases.test.ts'));
  },
);

test('a release that does not know the version fails visibly, so this test would find others', async () => {
  const source = { ...releaseBeforeThat, only: /list-projection$/ };
  const deployment = await planted(folder, { name: 'two releases at once', scenario: scenario.name, source });
  const { violations } = await playSeed(deployment, scenario, '0');
  expect(violations).not.toEqual([]);
});

/** The release before this one: it does not know that products are discontinued. */
const REFUSED_BEFORE = {
  file: 'lambdas/catalog/contract.ts',
  from: /PricesRefused: \{.*?\n {4}\},/s,
  to: 'PricesRefused: { version: 1, data: PricesRefused1 },',
};

test('a saga of the previous release rejects an order for a discontinued product, for a reason that it knows', async () => {
  const { name } = discontinuedRaces;
  const source = { ...REFUSED_BEFORE, only: /on-saga-message$/ };
  const deployment = await planted(folder, { name, scenario: name, source });
  const { violations } = await playWith(deployment, discontinuedRaces, 'singles');
  // Everything else is kept: no order is lost, and none is approved.
  expect(violations.map(({ detail }) => detail)).toEqual(['never: REJECTED UNKNOWN_PRODUCT']);
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
      if (history.violations.length > 0) expect.fail(report(history, `releases.test.ts, seed ${seed}`));
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

test('finds a previous release that acknowledges what it does not know, during a deployment or after a rollback', async () => {
  const mistaken = twoReleasesWith('two-releases', [ACKNOWLEDGES_NEWER]);
  const { violations } = await playSeed(deploymentOf(folder), mistaken, '7');
  expect(violations.map(({ invariant }) => invariant)).toContain('no message is deleted without an effect or a record');
});
