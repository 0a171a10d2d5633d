import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cloud } from '../cloud/cloud.js';
import { createCloud } from '../support/clouds.js';
import { Bookmarks } from './bookmarks.js';
import { type CampaignOptions, playSeeds } from './campaign.js';
import type { Scenario } from './scenario.js';

const { deployment } = createCloud({});
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookmarks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A scenario that records its seeds, and fails its fourth. */
function noting(seen: string[]): Scenario {
  const play = async ({ world }: Cloud) => {
    seen.push(world.random.id());
    return seen.length === 4 ? [{ invariant: 'none is the fourth', detail: '' }] : [];
  };
  return { name: 'noting', faultProbability: 0, play };
}

const options = (more: Partial<CampaignOptions> = {}): CampaignOptions => ({
  share: { part: 0, of: 1 },
  onProgress: () => undefined,
  onViolation: () => undefined,
  ...more,
});

class Killed extends Error {}

test('a stopped search continues with the seed that it had not ended', async () => {
  const [whole, halves]: [string[], string[]] = [[], []];
  await playSeeds(deployment, noting(whole), [0, 8], options(), folder);
  new Bookmarks(folder).clear();
  const killed = options({
    onProgress: (done) => {
      if (done === 3) throw new Killed();
    },
  });
  await expect(playSeeds(deployment, noting(halves), [0, 8], killed, folder)).rejects.toThrow(Killed);
  expect(new Bookmarks(folder).next()).toBe(2);
  halves.splice(2);
  await playSeeds(deployment, noting(halves), [new Bookmarks(folder).next(), 8], options(), folder);
  expect(halves).toEqual(whole);
  expect(new Bookmarks(folder).next()).toBe(8);
});

test('the slowest of several workers decides where a search continues', () => {
  const bookmarks = new Bookmarks(folder);
  expect(bookmarks.next()).toBe(0);
  bookmarks.put(0, 14);
  bookmarks.put(1, 9);
  expect(bookmarks.next()).toBe(9);
  bookmarks.clear();
  expect(new Bookmarks(folder).next()).toBe(0);
});

test('workers share the seeds, and each violation is reported', async () => {
  const parts: string[][] = [[], []];
  const found: string[] = [];
  const broken = await Promise.all(
    parts.map((seen, part) => {
      const share = options({ share: { part, of: 2 }, onViolation: ({ seed }) => found.push(seed) });
      return playSeeds(deployment, noting(seen), [0, 8], share, folder);
    }),
  );
  expect(new Set(parts.flat()).size).toBeGreaterThanOrEqual(8);
  expect(broken).toEqual([1, 1]);
  expect(found.sort()).toEqual(['6', '7']);
});
