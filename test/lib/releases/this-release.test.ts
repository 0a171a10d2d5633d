import { expect, test } from 'vitest';
import { judge } from '../../../tools/release/check/findings.js';
import { hasSources, previousRelease } from '../../../tools/release/previous-sources.js';
import { compareWith, readAllowed, render } from '../../../tools/release/release-check.js';
import { PROD, prodAssembly } from '../../support/simulation/assembly.js';

const release = previousRelease();

// A shallow clone has no history; where CI is set, it has to have it. `npm run release:check` also compares `dev`.
test.skipIf(!hasSources(release) && !process.env.CI)(
  'AWS takes this release over the previous one, with the chosen exceptions',
  () => {
    const comparisons = compareWith(release, [PROD], [prodAssembly()]);
    const verdict = judge(
      comparisons.flatMap(({ findings }) => findings),
      readAllowed(),
      ['prod'],
    );
    expect([...verdict.red, ...verdict.unused], render(release, comparisons, verdict)).toEqual([]);
  },
);
