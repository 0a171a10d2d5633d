import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { kitFolders, moduleTable, patternLinks, patternTable } from '../../../tools/docs/kit-index.js';
import { ROOT } from '../../../tools/docs/pictures.js';

/** A kit with these files, and with exports of these files. */
function kitWith(files: Readonly<Record<string, string>>, exports: Readonly<Record<string, string>> = {}): URL {
  const folder = mkdtempSync(join(tmpdir(), 'kit-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: '@things/kit', exports }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return pathToFileURL(`${folder}/`);
}

const README = '# Lock\n\nOne owner\nat a time.\n\nSource: a book.\n';

describe('the indexes of the kit', () => {
  const folders = kitFolders(
    kitWith(
      { 'lock/README.md': README, 'lock/ALTERNATIVES.md': '# Others\n', 'box/README.md': '# Box\n\nKeeps things.\n' },
      { './lock': './lock/index.ts', './lock/keys': './lock/keys.ts' },
    ),
  );

  test('the indexes have each folder with the first paragraph of its README', () => {
    expect(patternTable(folders, '../kit/').split('\n').slice(2)).toEqual([
      '| [box](../kit/box/README.md) | Keeps things. |',
      '| [lock](../kit/lock/README.md) | One owner at a time. [Alternatives](../kit/lock/ALTERNATIVES.md) |',
    ]);
    expect(patternLinks(folders, 'kit/')).toBe('[Box](kit/box/README.md) · [Lock](kit/lock/README.md)');
  });

  test('the indexes have the modules of a folder, and name a folder without any', () => {
    expect(moduleTable(folders).split('\n').slice(2)).toEqual([
      '| `box` | Keeps things. | none: constructs bring it |',
      '| `lock` | One owner at a time. | `@things/kit/lock`, `@things/kit/lock/keys` |',
    ]);
  });

  test.each([
    ['without a README', { 'lock/index.ts': '' }],
    ['whose README begins with its source', { 'lock/README.md': '# Lock\n\nSource: a book.\n\nOne owner.\n' }],
    ['whose README begins with a heading', { 'lock/README.md': '# Lock\n\n## The problem\n\nOne owner.\n' }],
    ['whose summary has a link', { 'lock/README.md': '# Lock\n\nAs a [box](../box/README.md).\n' }],
  ])('refuse a folder %s', (_, files) => {
    expect(() => kitFolders(kitWith(files))).toThrow('lock/README.md does not begin with a title and a summary');
  });

  test('refuse an export that lies in no folder', () => {
    const kit = kitWith({ 'lock/README.md': README }, { './lost': './lost.ts' });
    expect(() => kitFolders(kit)).toThrow('export ./lost of @things/kit lies in no folder: ./lost.ts');
  });

  test("the indexes have all of this kit's folders", () => {
    const kit = new URL('packages/kit/', ROOT);
    const there = readdirSync(kit, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(kitFolders(kit).map(({ name }) => name)).toEqual(there.map(({ name }) => name).toSorted());
  });
});
