import { expect, test } from 'vitest';
import { report } from '../simulator/search/report.js';
import { playSeed } from '../simulator/search/scenario.js';
import { planted } from './planted/plant.js';
import { scenarioCalled } from './scenarios/all.js';
import { prodAssembly } from './support/assembly.js';

/** The release before this one: it reads version 2 of OrderRejected, and writes version 1. */
const releaseBefore = {
  file: 'lambdas/services/orders/contract.ts',
  from: '(data) => ({ ...data, skus: [] })),\n      },',
  to: '(data) => ({ ...data, skus: [] }), ({ skus: _, ...data }: any) => data),\n      },\n      writes: 1,',
};

/** The one before that knows version 1 only. */
const releaseBeforeThat = {
  file: 'lambdas/services/orders/contract.ts',
  from: /OrderRejected: \{.*?\n {4}\},/s,
  to: 'OrderRejected: { version: 1, data: z.object({ orderId: OrderId, reason: RejectionReason }) },',
};

/** Functions that are of the release before, as a deployment or a rollback leaves them for a while. */
const MIXES: readonly (readonly [string, RegExp])[] = [
  ['all of them', /./],
  ['the one that rejects', /on-stock-answer$/],
  ['those that read what is rejected', /(list-projection|get-order|order-history|cancel-order)$/],
];

const folder = prodAssembly();
const scenario = scenarioCalled('reject-one');

test.each(MIXES)(
  'orders are rejected in two versions, and every promise is kept, while the release before is in: %s',
  async (name, only) => {
    const deployment = await planted(folder, { name, scenario: scenario.name, source: { ...releaseBefore, only } });
    for (let seed = 0; seed < 4; seed++) {
      const history = await playSeed(deployment, scenario, String(seed));
      if (history.violations.length > 0) expect.fail(report(history, `releases.test.ts, seed ${seed}`));
    }
  },
);

test('a release that does not know the version fails where an operator sees it, as this test would for the others', async () => {
  const source = { ...releaseBeforeThat, only: /list-projection$/ };
  const deployment = await planted(folder, { name: 'two releases at once', scenario: scenario.name, source });
  const { violations } = await playSeed(deployment, scenario, '0');
  expect(violations).not.toEqual([]);
});
