import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as simulator from '../../packages/simulator/index.js';

const FOLDER = 'packages/simulator';
const pages = ['README.md', ...readdirSync(join(FOLDER, 'docs')).map((name) => `docs/${name}`)];

/** Functions that a page calls in its text: \`playSeed(deployment, ...)\`. Members of an object have a dot before them. */
const namesCalledIn = (page: string): readonly string[] =>
  [...readFileSync(join(FOLDER, page), 'utf8').matchAll(/`([a-z]\w+)\([^`]*\)`/g)].map(([, name = '']) => name);

test.each(pages)('%s calls functions that the package exports', (page) => {
  const unknown = namesCalledIn(page).filter((name) => !(name in simulator));
  expect(unknown).toEqual([]);
});

test('pages of the simulator do call functions', () =>
  expect(pages.flatMap(namesCalledIn)).toEqual(expect.arrayContaining(['checkScenario', 'playSingleFaults'])));
