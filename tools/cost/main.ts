import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LINES, type Line, totalOf } from './bill.js';
import { ADVICE, BUDGET, type Budget, differences, readBudget, writeBudget } from './budget.js';
import { billOfCase, billsByFunction, dollarsByPart } from './case-bills.js';
import { CASES, type CaseName } from './cases.js';
import { countAll } from './count.js';
import { total } from './counts.js';
import { writePages } from './pages.js';
import { PARTS, type Part } from './parts.js';

const USAGE = `npm run cost [-- --write] [-- --case ${Object.keys(CASES).join(' | ')}]`;

/** Runs `npm run cost`. @returns 1 if something costs another sum than is written down, and nothing is written */
export async function main(args: readonly string[] = []): Promise<number> {
  let options: { readonly write: boolean; readonly case?: string | undefined };
  try {
    const known = { write: { type: 'boolean', default: false }, case: { type: 'string' } } as const;
    options = parseArgs({ args: [...args], options: known }).values;
    if (options.case !== undefined && !Object.hasOwn(CASES, options.case))
      throw new Error(`there is no case '${options.case}'`);
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  const counted = await countAll();
  for (const name of Object.keys(CASES) as CaseName[]) printCase(counted, name, name === options.case);
  const changed = existsSync(BUDGET) ? differences(readBudget(), counted) : ['nothing is written down yet'];
  for (const line of changed) console.log(line);
  if (options.write) {
    writeBudget(counted);
    for (const page of writePages(counted)) console.log(`written: ${page}`);
    return 0;
  }
  if (changed.length > 0) console.log(`\n${ADVICE}`);
  return changed.length > 0 ? 1 : 0;
}

function printCase(budget: Budget, name: CaseName, isWhole: boolean): void {
  const counted = budget.cases[name];
  const dollars = (isBatch: boolean): string => totalOf(billOfCase(budget, counted, isBatch)).toFixed(1);
  console.log(`\n${name}: ${CASES[name]}: ${dollars(false)} dollars a million; in batches of ten ${dollars(true)}`);
  console.log(
    Object.entries(total(counted.functions))
      .map(([measure, value]) => `${measure} ${value}`)
      .join(', '),
  );
  if (!isWhole) return;
  console.table(
    Object.fromEntries(
      billsByFunction(budget, counted).map(({ fn, bill }) => [
        fn,
        {
          ...counted.functions[fn],
          dollars: Number(totalOf(bill).toFixed(2)),
        },
      ]),
    ),
  );
  const parts = dollarsByPart(budget, counted);
  console.table(
    Object.fromEntries((Object.keys(PARTS) as Part[]).map((part) => [PARTS[part], parts[part].toFixed(2)])),
  );
  const bill = billOfCase(budget, counted);
  console.table(Object.fromEntries((Object.keys(LINES) as Line[]).map((line) => [LINES[line], bill[line].toFixed(2)])));
}
