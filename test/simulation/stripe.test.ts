import { expect, test } from 'vitest';
import { report } from '../../packages/simulator/search/report.js';
import { playWith } from '../../packages/simulator/search/scenario.js';
import { STRIPE_SCENARIOS } from './scenarios/stripe.js';
import { deploymentOf } from './support/app-code.js';
import { stripeAssembly } from './support/assembly.js';

const deployment = deploymentOf(stripeAssembly());

test.each(STRIPE_SCENARIOS)('$name keeps every promise, with the payment code of prod', async (scenario) => {
  const history = await playWith(deployment, scenario, 'singles');
  if (history.violations.length > 0) expect.fail(report(history, 'stripe.test.ts'));
});
