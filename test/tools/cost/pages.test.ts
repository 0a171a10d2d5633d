import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readBudget } from '../../../tools/cost/budget.js';
import { PAGES, withTables } from '../../../tools/cost/pages.js';
import { TABLES } from '../../../tools/cost/tables.js';

const budget = readBudget();

test.each(PAGES)('%s shows the numbers of test/budget.json (npm run cost -- --write)', (page) => {
  const text = readFileSync(page, 'utf8');
  expect(text).toBe(withTables(page, text, budget));
});

test('each table is in a page', () => {
  const all = PAGES.map((page) => readFileSync(page, 'utf8')).join('\n');
  expect(Object.keys(TABLES).filter((name) => !all.includes(`<!-- cost: ${name} -->`))).toEqual([]);
});

test('a place for a table that does not exist is an error that names those that do', () => {
  const text = '<!-- cost: weather -->\n<!-- cost ends -->';
  expect(() => withTables('docs/cost.md', text, budget)).toThrow("docs/cost.md has a place for the table 'weather'");
});
