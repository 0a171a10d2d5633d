import { expect, test } from 'vitest';
import { deploymentOf } from '../../packages/simulator/cloud.js';
import { report } from '../../packages/simulator/search/report.js';
import { playWith } from '../../packages/simulator/search/scenario.js';
import { commandOf } from './cli/replay.js';
import { burstOf, LARGE_BURST } from './scenarios/burst.js';
import { prodAssembly } from './support/assembly.js';

const deployment = deploymentOf(prodAssembly());

test('a burst of one customer does not starve others', async () => {
  const history = await playWith(deployment, burstOf(LARGE_BURST), 'singles');
  if (history.violations.length > 0) expect.fail(report(history, commandOf(history, 'singles')));
});
