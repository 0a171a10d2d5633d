import { expect, test } from 'vitest';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playSeed, playWithFaults } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { webhooksAssembly } from '../support/simulation/assembly.js';
import { WEBHOOK_SCENARIOS } from './scenarios/webhooks.js';

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
