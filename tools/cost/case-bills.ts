import { addBills, type Bill, type Billed, billOf, totalOf } from './bill.js';
import type { Functions } from './cases.js';
import type { CountedCase, Counts } from './counts.js';
import { PARTS, type Part, partOf, sharesOf } from './parts.js';

/** Dollars per million of one function, or of what no function does. */
export interface FunctionBill {
  readonly fn: string;
  readonly counts: Counts;
  readonly bill: Bill;
}

/** Returns what each function of a case costs, the most expensive first. @param isBatch whether messages come in full batches */
export function billsByFunction(functions: Functions, counted: CountedCase, isBatch = false): readonly FunctionBill[] {
  return Object.entries(counted.functions)
    .map(([fn, counts]) => ({ fn, counts, bill: billOf(counts, billed(functions, fn), isBatch) }))
    .toSorted((one, other) => totalOf(other.bill) - totalOf(one.bill));
}

/** Returns what a case costs, each line of it. */
export const billOfCase = (functions: Functions, counted: CountedCase, isBatch = false): Bill =>
  addBills(...billsByFunction(functions, counted, isBatch).map(({ bill }) => bill));

/** Returns the dollars of each part of a case. They add up to those of the case. @throws {NoPart} */
export function dollarsByPart(
  functions: Functions,
  counted: CountedCase,
  isBatch = false,
): Readonly<Record<Part, number>> {
  const dollars = Object.fromEntries(Object.keys(PARTS).map((part) => [part, 0])) as Record<Part, number>;
  for (const { fn, bill } of billsByFunction(functions, counted, isBatch)) {
    const shares = sharesOf(fn, counted.events);
    if (shares.length === 0) dollars[partOf(fn)] += totalOf(bill);
    for (const { part, share } of shares) dollars[part] += share * totalOf(bill);
  }
  return dollars;
}

const billed = ({ triggers, memory }: Functions, fn: string): Billed => ({
  trigger: triggers[fn],
  memory: memory[fn] ?? 0,
});
