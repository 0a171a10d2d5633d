import { expect, test } from 'vitest';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playSeed, playWithFaults } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { webhooksAssembly } from '../support/simulation/assembly.js';
import { WEBHOOKS } from './planted/bugs/webhooks.js';
import { planted } from './planted/plant.js';
import { webhooksDelivered } from './scenarios/webhooks.js';
import { WEBHOOK_SCENARIOS } from './scenarios/webhooks-all.js';

const deployment = loadSharedDeployment(webhooksAssembly());

test.each(WEBHOOK_SCENARIOS)('$name keeps every promise without faults', async (scenario) => {
  const history = await playWithFaults(deployment, scenario, 'singles');
  if (history.violations.length > 0) expect.fail(renderReport(history, 'webhooks.test.ts'));
});

test.each(WEBHOOK_SCENARIOS)(
  '$name keeps every promise with crashes, lost answers and duplicates',
  async (scenario) => {
    for (const seed of ['1', '2']) {
      const history = await playSeed(deployment, scenario, seed);
      if (history.violations.length > 0) expect.fail(renderReport(history, `webhooks.test.ts, seed ${seed}`));
      expect(history.faults.length).toBeGreaterThan(0);
    }
  },
);

/** Promises that the planted bugs break, by their names. */
const BROKEN: Readonly<Record<string, string>> = {
  'a signature leaves the time out': 'each request is signed by the secret of its webhook',
  'a retry of a delivery has an id of its own':
    'a webhook receives events of its own orders and of the types that it asked for',
  'a delivery counts as delivered before its receiver has answered': 'what is shown of a delivery is what happened',
  'deliveries in order take the way of those without':
    'the events of an order come in their order, where that was asked',
};

test.each(WEBHOOKS)('it is found when $name', async (bug) => {
  const history = await playWithFaults(await planted(webhooksAssembly(), bug), webhooksDelivered, 'singles');
  expect(history.violations.map(({ invariant }) => invariant)).toContain(BROKEN[bug.name]);
});
