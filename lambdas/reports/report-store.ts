import { clock, documentClient, type Item, queryItems, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import type { DailyReport } from './contract.js';
import { parseTally, serializeTally, sumTallies, type Tally } from './domain/tally.js';
import { PAGES, REPORTS } from './keys.js';

/** Days for which the pages of a report are kept, for somebody who wants to check it. */
const PAGES_KEPT_DAYS = 90;

/** Pages that are added at once. */
const READ_PAGE_SIZE = 500;

const DAILY = `${REPORTS}daily`;

const pageSk = (page: number): string => String(page).padStart(6, '0');

/** A page of a day is missing, so its report would be wrong. */
export class PageMissing extends Error {
  override readonly name = 'PageMissing';
}

/** Returns the write that keeps the tally of a page. A page that is counted again replaces itself. */
export const pageWrite = (table: Table, date: string, page: number, tally: Tally): TransactWriteItem => ({
  Put: {
    TableName: table.name,
    Item: {
      pk: PAGES + date,
      sk: pageSk(page),
      tally: serializeTally(tally),
      expiresAt: clock.epochSeconds() + PAGES_KEPT_DAYS * 86_400,
    },
  },
});

/**
 * Adds the pages of a day, strongly consistent.
 * @param pages number of pages that the day has
 * @throws {PageMissing}
 */
export async function readTallyOfDay({ name }: Pick<Table, 'name'>, date: string, pages: number): Promise<Tally> {
  let [tally, found]: [Tally, number] = [new Map(), 0];
  let from: Item | undefined;
  const query = {
    TableName: name,
    KeyConditionExpression: 'pk = :pk AND sk <= :last',
    ExpressionAttributeValues: { ':pk': PAGES + date, ':last': pageSk(pages) },
    ConsistentRead: true,
  };
  do {
    const { items, next } = await queryItems(documentClient, query, { limit: READ_PAGE_SIZE, from });
    tally = sumTallies([tally, ...items.map((page) => parseTally(String(page.tally)))]);
    found += items.length;
    from = next;
  } while (from);
  if (found !== pages) throw new PageMissing(`${date}: expected ${pages} pages, found ${found}`);
  return tally;
}

/** Returns the write of a report. It is refused if the day has one: a report never changes. */
export const reportWrite = (table: Table, report: DailyReport): TransactWriteItem => ({
  Put: {
    TableName: table.name,
    // Stored as text: the fields keep their order, and a fold of the same events gives the same bytes.
    Item: { pk: DAILY, sk: report.date, number: report.number, report: JSON.stringify(report) },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

const parseReport = (item: Item): DailyReport => JSON.parse(String(item.report));

/** Reads the report of a day, strongly consistent; `undefined` if it does not exist. */
export async function readReport(table: Table, date: string): Promise<DailyReport | undefined> {
  const item = await table.read({ pk: DAILY, sk: date });
  return item && parseReport(item);
}

/**
 * Reads reports, the newest day first, strongly consistent.
 * @param before day of the last report that was shown
 * @param limit maximum number of reports
 */
export async function readReportsBefore(
  { name }: Pick<Table, 'name'>,
  before: string | undefined,
  limit: number,
): Promise<readonly DailyReport[]> {
  const query = {
    TableName: name,
    KeyConditionExpression: before === undefined ? 'pk = :pk' : 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': DAILY, ...(before === undefined ? {} : { ':before': before }) },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  return (await queryItems(documentClient, query, { limit })).items.map(parseReport);
}

/** Reads the report with the earliest day, strongly consistent; `undefined` if there is none. */
export async function readFirstReport({ name }: Pick<Table, 'name'>): Promise<DailyReport | undefined> {
  const query = {
    TableName: name,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': DAILY },
    ConsistentRead: true,
  };
  return (await queryItems(documentClient, query, { limit: 1 })).items.map(parseReport)[0];
}
