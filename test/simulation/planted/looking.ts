import { expect, test } from 'vitest';
import { effort } from '../../support/simulation/effort.js';
import { findGround } from '../../support/simulation/ground.js';
import type { PlantedBug } from './bug.js';
import { BUGS } from './bugs.js';
import { find } from './find.js';
import { HINTS } from './hints.js';

/** Of so many bugs one is looked for here, each time the same ones; `npm run simulate:planted` looks for all. */
const STRIDE = effort({ whole: 6, quick: 18 });
/** A file looks for one part, so that both cores have some. */
const PARTS = 2;

/** Histories in which a bug is searched for when its hint no longer finds it. The whole search can take half an hour. */
const SEARCHED = 50;

/** Of a scenario only one bug is looked for, unless its history takes half a second. */
const CHEAP = 'place-one';
/** Bugs of these scenarios are looked for by `npm run simulate:planted` only: a history takes four seconds and more. */
const LONG = [
  'crash-in-a-batch',
  'forget-races',
  'hot-orders:losses',
  'order-limit',
  'overload',
  'rebuild-under-load',
  'refund-limit',
  'rewards-held-back',
  'stuck',
  'user-races',
  'window-raised',
];

/** Scenarios whose bugs the files of `inboxes/` look for, and those whose bugs `npm run simulate:planted` looks for only. */
const ELSEWHERE = /^(inbox|restored)-/;

function chosen(): readonly PlantedBug[] {
  const played = new Set<string>();
  return BUGS.filter(({ scenario }) => !ELSEWHERE.test(scenario))
    .filter((_, at) => at % STRIDE === 0)
    .filter(({ scenario }) => {
      // A burst takes minutes. It plays by command only (decision 0139).
      if (scenario.startsWith('burst-of-') || LONG.includes(scenario) || played.has(scenario)) return false;
      if (scenario !== CHEAP) played.add(scenario);
      return true;
    });
}

/** Declares a test for each planted bug of one part: the simulator finds it. */
export function findPart(part: number): void {
  const bugs = chosen().filter((_, at) => at % PARTS === part);
  test.each(bugs.map((bug) => [bug.name, bug] as const))('it is found when %s', async (name, bug) => {
    const hint = HINTS[name] ?? { faults: [] };
    const { history } = await find(findGround(bug.scenario), bug, { hint, singlesAtMost: SEARCHED });
    const advice = `neither its hint nor ${SEARCHED} other histories found it: npm run simulate:planted -- --hints "${name}"`;
    expect(history?.violations ?? [], advice).not.toEqual([]);
  });
}
