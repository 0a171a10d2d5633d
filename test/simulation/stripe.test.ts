import { expect, test } from 'vitest';
import { report } from '../../packages/simulator/search/report.js';
import { playWith } from '../../packages/simulator/search/scenario.js';
import { deploymentOf } from '../support/simulation/app-code.js';
import { stripeAssembly } from '../support/simulation/assembly.js';
import { STRIPE_SCENARIOS } from './scenarios/stripe.js';

const deployment = deploymentOf(stripeAssembly());

test.each(STRIPE_SCENARIOS)('$name keeps every promise, with the payment code of prod', async (scenario) => {
  const history = await playWith(deployment, scenario, 'singles');
  if (history.violations.length > 0) expect.fail(report(history, 'stripe.test.ts'));
});
