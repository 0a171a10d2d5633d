import { describe, expect, test } from 'vitest';
import { renderReport } from '../../packages/simulator/search/report.js';
import { FOUND, playFound, playFoundWith } from '../support/simulation/found.js';

/** One of so many found faults is put back here, the same ones in each run. `npm run simulate:planted` puts all of them back. */
const STRIDE = 6;

describe.each(FOUND.map((found, at) => [found.name, found, at] as const))('%s', (_, found, at) => {
  test('stays fixed', async () => {
    const history = await playFound(found);
    if (history.violations.length > 0)
      expect.fail(`${found.story.why}\n${renderReport(history, `npm run simulate -- ${found.replay.join(' ')}`)}`);
  });

  const { back } = found;
  if (!back || at % STRIDE !== 0) return;
  test('the history finds the fault if it is put back', async () => {
    const { violations } = await playFoundWith(back, found);
    expect(violations.map(({ invariant }) => invariant)).toContain(found.promise);
  });
});
