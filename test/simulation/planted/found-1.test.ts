import { expect, test } from 'vitest';
import { prodAssembly } from '../../support/simulation/assembly.js';
import { findPart } from './looking.js';
import { NothingPlanted, planted } from './plant.js';

findPart(0);

test('a bug that changes nothing is an error: its test would prove nothing', async () => {
  const folder = prodAssembly();
  const source = { file: 'packages/kit/aws/clock.ts', from: 'no such text', to: '' };
  await expect(planted(folder, { name: 'none', scenario: 'place-one', source })).rejects.toThrow(/no such text/);
  const resource = (one: object) => one as never;
  await expect(planted(folder, { name: 'none', scenario: 'place-one', resource })).rejects.toThrow(NothingPlanted);
});
