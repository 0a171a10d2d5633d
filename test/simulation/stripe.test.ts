import { expect, test } from 'vitest';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playWithFaults } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { stripeAssembly } from '../support/simulation/assembly.js';
import { STRIPE_SCENARIOS } from './scenarios/stripe.js';

const deployment = loadSharedDeployment(stripeAssembly());

test.each(STRIPE_SCENARIOS)('$name keeps every promise, with the payment code of prod', async (scenario) => {
  const history = await playWithFaults(deployment, scenario, 'singles');
  if (history.violations.length > 0) expect.fail(renderReport(history, 'stripe.test.ts'));
});
