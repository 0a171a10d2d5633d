import { readFileSync, writeFileSync } from 'node:fs';
import type { Budget } from './budget.js';
import { TABLES } from './tables.js';

const ROOT = new URL('../../', import.meta.url);
/** Pages with tables that follow from the budget. */
export const PAGES = ['docs/cost.md', 'packages/kit/saga/ALTERNATIVES.md'] as const;

/** A place in a page: the comment with a table's name, the table, and the comment that ends it. */
const PLACE = /(<!-- cost: (\w+) -->\n)(?:.*?\n)??(<!-- cost ends -->)/gs;

/** Returns a page with the tables of a budget. @throws {Error} if it has a place for a table that doesn't exist */
export function withTables(page: string, text: string, budget: Budget): string {
  return text.replaceAll(PLACE, (_, begins: string, name: string, ends: string) => {
    const make = TABLES[name];
    if (!make)
      throw new Error(`${page} has a place for the table '${name}': expected ${Object.keys(TABLES).join(', ')}`);
    return `${begins}${make(budget)}\n${ends}`;
  });
}

/** Writes the tables of a budget into the pages. @returns the pages whose text is another one now */
export function writePages(budget: Budget): readonly string[] {
  return PAGES.filter((page) => {
    const file = new URL(page, ROOT);
    const before = readFileSync(file, 'utf8');
    const text = withTables(page, before, budget);
    if (text !== before) writeFileSync(file, text);
    return text !== before;
  });
}
