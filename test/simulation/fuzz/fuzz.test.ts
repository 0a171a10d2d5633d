import { expect, test } from 'vitest';
import { loadSharedDeployment } from '../../support/simulation/app-code.js';
import { prodAssembly } from '../../support/simulation/assembly.js';
import { effort } from '../../support/simulation/effort.js';
import { kept, played, search } from './search.js';

const deployment = loadSharedDeployment(prodAssembly());
const INPUTS = effort({ whole: 600, quick: 200 });

test(`${INPUTS} inputs show no fault, and reach every kind of answer`, async () => {
  const { inputs, statuses, finding } = await search(deployment, { seed: 14, inputs: INPUTS });
  expect(finding).toBeUndefined();
  expect(inputs).toBe(INPUTS);
  const kinds = [200, 201, 400, 401, 403, 404, 405, 409, 413, 415, 422];
  if (INPUTS >= 2_000) expect(Object.keys(statuses).map(Number)).toEqual(expect.arrayContaining(kinds));
});

test.for(kept())('%s stays fixed', async ([, { requests }]) => {
  const { faults } = await played(deployment, requests);
  expect(faults).toEqual([]);
});
