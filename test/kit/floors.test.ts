import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const KIT = 'packages/kit';

/** Folders of the kit from the ground up. A folder imports folders below it only, types included. */
const FLOORS = [
  // Base: AWS, messages, and what constructs are made with.
  'aws',
  'messages',
  'base',
  'traces',
  // Patterns.
  'decider',
  'personal-data',
  'event-store',
  'state-store',
  'failures',
  'http',
  'idempotent-receiver',
  'idempotent-consumer',
  'timers',
  'inbox',
  'webhooks',
  'projection',
  'outbox',
  'lane',
  'drains',
  'saga',
  // Facade: services and the platform, of all patterns.
  'service',
  'testing',
];

interface Arrow {
  readonly from: string;
  readonly to: string;
  /** The import: `lane/lane.ts imports outbox/publish.js`. */
  readonly words: string;
}

const folderOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

function arrowsOf(file: string): readonly Arrow[] {
  const text = readFileSync(join(KIT, file), 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g)].flatMap(([, specifier = '']) => {
    const target = normalize(join(dirname(file), specifier));
    const [from, to] = [folderOf(file), folderOf(target)];
    return from === to ? [] : [{ from, to, words: `${file} imports ${target}` }];
  });
}

const files = readdirSync(KIT, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));

test('every folder of the kit has its floor', () => {
  expect(new Set(files.map(folderOf).filter((folder) => folder !== ''))).toEqual(new Set(FLOORS));
});

test('folders of the kit import no folder above them', () => {
  const up = files
    .flatMap(arrowsOf)
    .filter(({ from, to }) => from !== '' && FLOORS.indexOf(to) > FLOORS.indexOf(from))
    .map(({ words }) => words);
  expect(up, 'move what is imported down, or the importing file up; the order is in this test').toEqual([]);
});

test('folders of the kit do not import the modules at its root, which are above all of them', () => {
  const up = files
    .flatMap(arrowsOf)
    .filter(({ from, to }) => from !== '' && to === '')
    .map(({ words }) => words);
  expect(up).toEqual([]);
});
