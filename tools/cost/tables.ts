import { LINES, type Line, totalOf } from './bill.js';
import type { Budget } from './budget.js';
import { billOfCase, billsByFunction, dollarsByPart } from './case-bills.js';
import { CASES, type CaseName } from './cases.js';
import { type Counts, type Measure, total } from './counts.js';
import { PARTS, type Part } from './parts.js';
import { PRICES } from './prices.js';
import { rivals } from './rivals/rivals.js';
import { addedByWebhooks } from './webhooks.js';

type Row = readonly (string | number)[];

/** Tables of the pages, by the names of their places. */
export const TABLES: Readonly<Record<string, (budget: Budget) => string>> = {
  cases: casesTable,
  lines: linesTable,
  parts: partsTable,
  functions: functionsTable,
  duplicates: duplicatesTable,
  webhooks: webhooksTable,
  rivals: rivalsTable,
  prices: pricesTable,
};

/** Returns each case with what it uses and costs. */
function casesTable(budget: Budget): string {
  const rows = (Object.keys(CASES) as CaseName[]).map((name): Row => {
    const used = total(budget.cases[name].functions);
    const of = (measure: Measure): number => used[measure] ?? 0;
    const dollars = (isBatch: boolean): string => money(totalOf(billOfCase(budget, budget.cases[name], isBatch)));
    return [
      CASES[name],
      dollars(false),
      dollars(true),
      count(of('plainWrites') + of('transactionalWrites') + of('indexWrites')),
      count(of('reads')),
      count(of('busEntries')),
      count(of('messages')),
      count(of('invocations')),
      `${kilobytes(of('logBytes'))}, ${count(of('logLines'))}`,
    ];
  });
  const head = [
    'case',
    'dollars a million',
    'in batches of 10',
    'write units',
    'read units',
    'bus entries',
    'queue messages',
    'invocations',
    'own log, lines',
  ];
  return table(head, rows);
}

/** Returns the lines of an approved order's bill. */
function linesTable(budget: Budget): string {
  const { approved } = budget.cases;
  const [alone, batch] = [billOfCase(budget, approved), billOfCase(budget, approved, true)];
  const used = total(approved.functions);
  const rows = (Object.keys(LINES) as Line[]).map(
    (line): Row => [LINES[line], countedOf(line, used), money(alone[line]), money(batch[line])],
  );
  return table(
    ['', 'counted', 'dollars a million', 'in batches of 10'],
    [...rows, ['**together**', '', `**${money(totalOf(alone))}**`, `**${money(totalOf(batch))}**`]],
  );
}

/** Returns what a line of a bill consists of. */
function countedOf(line: Line, used: Counts): string {
  const of = (measure: Measure): string => count(used[measure] ?? 0);
  const counted: Readonly<Record<Line, string>> = {
    api: `${of('requests')} request`,
    invocations: of('invocations'),
    time: `${of('invocations')} invocations and ${of('providerCalls')} calls of the payment provider *(est.)*`,
    plainWrites: `${of('plainWrites')} units`,
    transactionalWrites: `${of('transactionalWrites')} units`,
    indexWrites: `${of('indexWrites')} units`,
    reads: `${of('reads')} units`,
    bus: `${of('busEntries')} entries`,
    archive: kilobytes(used.busBytes ?? 0),
    queues: `${of('messages')} messages: ${of('queueRequests')} requests`,
    fairQueues: `${of('fairRequests')} requests`,
    logs: `${kilobytes(used.logBytes ?? 0)} in ${of('logLines')} lines, ${kilobytes(used.systemLogBytes ?? 0)} of Lambda, the access log *(est.)*`,
    keys: `${of('kmsCalls')} calls`,
    files: `${of('s3Writes')} writes`,
  };
  return counted[line];
}

function partsTable(budget: Budget): string {
  const names = Object.keys(PARTS) as Part[];
  const of = (name: CaseName) => dollarsByPart(budget, budget.cases[name]);
  const [approved, rejected, cancelled] = [of('approved'), of('rejectedByStock'), of('cancelled')];
  const batch = dollarsByPart(budget, budget.cases.approved, true);
  const rows = names.map(
    (part): Row => [
      PARTS[part],
      money(approved[part]),
      money(batch[part]),
      money(rejected[part]),
      money(cancelled[part]),
    ],
  );
  return table(['part', 'approved', 'approved, in batches of 10', 'rejected by stock', 'cancelled'], rows);
}

function functionsTable(budget: Budget): string {
  const rows = billsByFunction(budget, budget.cases.approved).map(({ fn, counts, bill }): Row => {
    const of = (measure: Measure): string => count(counts[measure] ?? 0);
    return [
      fn,
      of('invocations'),
      of('calls'),
      `${of('plainWrites')} / ${of('transactionalWrites')} / ${of('indexWrites')}`,
      of('reads'),
      of('busEntries'),
      of('messages'),
      kilobytes(counts.logBytes ?? 0),
      money(totalOf(bill)),
    ];
  });
  return table(
    [
      'function',
      'invocations',
      'calls of DynamoDB',
      'writes: plain / transactional / index',
      'reads',
      'bus',
      'messages',
      'log',
      'dollars a million',
    ],
    rows,
  );
}

/** Returns what one more delivery of a message costs at each consumer. */
function duplicatesTable(budget: Budget): string {
  const rows = billsByFunction(budget, budget.cases.duplicateMessages)
    .filter(({ counts }) => (counts.messages ?? 0) > 0)
    .map(({ fn, counts, bill }): Row => {
      const each = (measure: Measure): string => count((counts[measure] ?? 0) / (counts.messages ?? 1));
      return [fn, each('calls'), each('refusedWrites'), each('reads'), money(totalOf(bill) / (counts.messages ?? 1))];
    });
  return table(
    ['consumer or inbox', 'calls of DynamoDB', 'refused write units', 'read units', 'dollars a million'],
    rows,
  );
}

/** Returns what webhooks add to an order. */
function webhooksTable({ webhooks }: Budget): string {
  const rows = addedByWebhooks(webhooks).map(({ what, counts, dollars, inBatches }): Row => {
    const of = (measure: Measure): number => counts[measure] ?? 0;
    return [
      what,
      money(dollars),
      money(inBatches),
      count(of('plainWrites') + of('transactionalWrites') + of('indexWrites')),
      count(of('reads')),
      count(of('busEntries')),
      count(of('messages')),
      count(of('invocations')),
    ];
  });
  return table(
    [
      '',
      'dollars a million',
      'in batches of 10',
      'write units',
      'read units',
      'bus entries',
      'queue messages',
      'invocations',
    ],
    rows,
  );
}

function rivalsTable(budget: Budget): string {
  const own = (isBatch: boolean): string => money(dollarsByPart(budget, budget.cases.approved, isBatch).order);
  const rows = rivals(budget.rivals).map(
    ({ name, counted, alone, batch }): Row => [name, counted, money(alone), money(batch)],
  );
  const orderly: Row = [`Orderly: ${PARTS.order}`, 'played', own(false), own(true)];
  return table(['', 'counted', 'dollars a million', 'in batches of 10'], [orderly, ...rows]);
}

function pricesTable(): string {
  const rows = Object.values(PRICES).map(
    ({ dollars, per, unit, source, date }): Row => [unit, `${dollars} for ${perUnits(per)}`, source, date],
  );
  return table(['unit', 'dollars', 'source', 'of'], rows);
}

const perUnits = (per: number): string =>
  per === 1024 ** 3 ? 'a GB' : per === 1_000_000 ? 'a million' : per.toLocaleString('en');

/** Lays a table out. Numbers that are 0 stay empty. */
export const table = (head: readonly string[], rows: readonly Row[]): string =>
  [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows.map((row) => `| ${row.join(' | ')} |`)].join(
    '\n',
  );

export const money = (dollars: number): string => (dollars >= 100 ? dollars.toFixed(0) : dollars.toFixed(1));
const count = (value: number): string => String(Math.round(value * 100) / 100);
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} KB`;
