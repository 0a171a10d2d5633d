import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { anchorsIn, linksIn } from './markdown.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Folders that are installed, built or hidden. */
const isForeign = (name: string): boolean => name.startsWith('.') || ['node_modules', 'cdk.out'].includes(name);

/** @returns paths of all pages from the root of the repository */
const pagesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (isForeign(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pagesIn(path);
    return entry.name.endsWith('.md') ? [relative(ROOT, path)] : [];
  });

const pages = pagesIn(ROOT);
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** @returns what is wrong with a link; nothing where it leads somewhere, or to another site */
function faultOf(page: string, link: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return undefined;
  const [path = '', anchor] = decodeURIComponent(link).split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (target.startsWith('..') || !existsSync(join(ROOT, target))) return `${page}: no file ${link}`;
  if (anchor === undefined) return undefined;
  const isPage = target.endsWith('.md') && statSync(join(ROOT, target)).isFile();
  return isPage && anchorsIn(textOf(target)).has(anchor) ? undefined : `${page}: no heading ${link}`;
}

test('there are pages', () => expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/glossary.md'])));

test('every relative link leads to a file, and every anchor to a heading', () => {
  const faults = pages.flatMap((page) => linksIn(textOf(page)).flatMap((link) => faultOf(page, link) ?? []));
  expect(faults).toEqual([]);
});

test('README.md has at most 120 lines', () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

/** Pages that sort others: each page of their folder is on them. */
test.each(['docs/README.md', 'docs/operations/README.md'])('%s lists each page below its folder', (index) => {
  const folder = `${dirname(index)}/`;
  const listed = linksIn(textOf(index)).map((link) => join(folder, link.split('#')[0] ?? ''));
  const hasIndexOfItsOwn = (page: string) =>
    pages.some(
      (other) =>
        other !== index &&
        other.startsWith(folder) &&
        page.startsWith(`${dirname(other)}/`) &&
        other.endsWith('/README.md'),
    );
  const below = pages.filter((page) => page.startsWith(folder) && page !== index && !hasIndexOfItsOwn(page));
  expect(below.length).toBeGreaterThan(10);
  expect(below.filter((page) => !listed.includes(page))).toEqual([]);
});

test('every path in the glossary exists', () => {
  const paths = [...textOf('docs/glossary.md').matchAll(/`((?:kit|lib|lambdas|tools)\/[^`*\s]+)`/g)].map(
    ([, path = '']) => path.replace(/^kit\//, 'packages/kit/'),
  );
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

describe('decisions', () => {
  const index = textOf('docs/decisions/README.md');
  const records = pages.filter((page) => /^docs\/decisions\/\d{4}-/.test(page)).map((page) => basename(page));
  /** Numbers of records that were merged or ended, and where the index says they went. */
  const moved = [...index.matchAll(/^\| (\d{4}) \| (.*) \|$/gm)].map(([, number = '', now = '']) => ({ number, now }));

  test('every record is in the index, under its title', () => {
    const rows = records.map((file) => {
      const [, title = ''] = /^# (.+)$/m.exec(textOf(`docs/decisions/${file}`)) ?? [];
      return `[${title}](${file})`;
    });
    expect(rows.filter((row) => !index.includes(row))).toEqual([]);
  });

  test('every number up to the newest has either a record or a line in the table of the others, once', () => {
    const numbers = [...records.map((file) => file.slice(0, 4)), ...moved.map(({ number }) => number)].toSorted();
    expect(numbers).toEqual(numbers.map((_, at) => String(at + 1).padStart(4, '0')));
  });

  test('every line of that table names the record where the decision is now, or says why nothing of it holds', () => {
    const isTarget = (now: string): boolean => {
      const [, number = '', file = ''] = /^\[(\d{4})\]\(([^)]+)\)$/.exec(now) ?? [];
      return (records.includes(file) && file.startsWith(`${number}-`)) || /^nothing holds: ./.test(now);
    };
    expect(moved.filter(({ now }) => !isTarget(now))).toEqual([]);
  });
});

test.each([
  ['[a](b.md)', ['b.md']],
  ['[a](b.md#c "title"), ![d](e.png)', ['b.md#c', 'e.png']],
  ['`[a](b.md)`', []],
  ['```\n[a](b.md)\n```\n[c](d.md)', ['d.md']],
])('links of %j', (text, links) => expect(linksIn(text)).toEqual(links));

test('anchors', () => {
  const text = "# One, two\n## `Code` and [link](x.md)\n### One, two\n```\n# none\n```\n## It's 1/2 _x_\n";
  expect([...anchorsIn(text)]).toEqual(['one-two', 'code-and-link', 'one-two-1', 'its-12-_x_']);
});
