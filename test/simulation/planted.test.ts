import { expect, test } from 'vitest';
import { BUGS } from './planted/bugs.js';
import { find } from './planted/find.js';
import { HINTS } from './planted/hints.js';
import { NothingPlanted, planted } from './planted/plant.js';
import { prodAssembly } from './support/assembly.js';

const folder = prodAssembly();

/** Of so many bugs one is looked for here, each time the same ones; `npm run simulate:planted` looks for all. */
const STRIDE = 3;

test.each(BUGS.filter((_, at) => at % STRIDE === 0).map((bug) => [bug.name, bug] as const))(
  'it is found when %s',
  async (name, bug) => {
    const { history } = await find(folder, bug, { hint: HINTS[name] ?? [] });
    expect(history?.violations ?? []).not.toEqual([]);
  },
);

test('a bug that changes nothing is an error: its test would prove nothing', async () => {
  const source = { file: 'lambdas/platform/clock.ts', from: 'no such text', to: '' };
  await expect(planted(folder, { name: 'none', scenario: 'place-one', source })).rejects.toThrow(/no such text/);
  const resource = (one: object) => one as never;
  await expect(planted(folder, { name: 'none', scenario: 'place-one', resource })).rejects.toThrow(NothingPlanted);
});
