import { describe, expect, test } from 'vitest';
import { deploymentOf } from '../../packages/simulator/cloud.js';
import { report } from '../../packages/simulator/search/report.js';
import { replayOf } from './cli/replay.js';
import { planted } from './planted/plant.js';
import { prodAssembly } from './support/assembly.js';
import { FOUND, playFound } from './support/found.js';

const folder = prodAssembly();
const deployment = deploymentOf(folder);

describe.each(FOUND.map((found) => [found.name, found] as const))('%s', (name, found) => {
  test('stays fixed', async () => {
    const history = await playFound(deployment, found);
    if (history.violations.length > 0)
      expect.fail(`${found.story.why}\n${report(history, `npm run simulate -- ${found.replay.join(' ')}`)}`);
  });

  const { back } = found;
  if (!back) return;
  test('is found by this history if the fault is put back', async () => {
    const { scenario = '' } = replayOf(found.replay);
    const broken = await planted(folder, { name, scenario, source: back });
    const { violations } = await playFound(broken, found);
    expect(violations.map(({ invariant }) => invariant)).toContain(found.promise);
  });
});
