import type { OrderView, RejectionReason } from '../orders/contract.js';

// The command line reads this file for its help, so it loads neither an SDK nor schemas.

/** Question about orders, as it comes: options of the command line, or parameters of a query. */
export interface OrdersQuery {
  readonly since?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
  readonly customer?: string | undefined;
  readonly sku?: string | undefined;
  readonly search?: string | undefined;
  readonly key?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: string | undefined;
  readonly synthetic?: boolean | undefined;
}

/** Question about orders, checked. */
export interface OrdersRequest extends Pick<OrdersQuery, 'customer' | 'sku' | 'search' | 'key'> {
  /** Time from which the orders were placed, ISO 8601, UTC. */
  readonly from: string;
  /** Time before which they were placed. */
  readonly to: string;
  /** Whether the time was asked for. Otherwise it is the default. */
  readonly isTimed: boolean;
  /** Statuses that are shown. @default all */
  readonly statuses: readonly string[];
  /** Reasons of rejections that are shown. @default all */
  readonly reasons: readonly string[];
  /** Position of the last order that was shown. */
  readonly cursor?: string;
  readonly limit: number;
  /** Whether synthetic orders are shown, too. */
  readonly synthetic: boolean;
}

/** A mistake in what is asked, with what would be right. */
export class WrongOrdersQuery extends Error {
  override readonly name = 'WrongOrdersQuery';
  constructor(
    readonly parameter: keyof OrdersQuery,
    /** `expected …` */
    readonly detail: string,
  ) {
    super(`${parameter}: ${detail}`);
  }
}

export const STATUSES = [
  'PENDING',
  'UNDER_REVIEW',
  'APPROVED',
  'DISPATCHED',
  'REJECTED',
  'CANCELLED',
] as const satisfies readonly OrderView['status'][];
export const REASONS = [
  'OUT_OF_STOCK',
  'PRICE_CHANGED',
  'UNKNOWN_PRODUCT',
  'OVER_LIMIT',
  'CURRENCY_MISMATCH',
  'PAYMENT_DECLINED',
  'TIMED_OUT',
  'STEP_REFUSED',
  'PRODUCT_DISCONTINUED',
  'ACCOUNT_CLOSED',
] as const satisfies readonly RejectionReason[];

/** `out-of-stock` for `OUT_OF_STOCK`. */
export const toWord = (constant: string): string => constant.toLowerCase().replaceAll('_', '-');

export const MAX_LIMIT = 100;
/** Orders of a page of the command line. */
export const DEFAULT_LIMIT = 50;
/** Longest time that is searched for the orders of all customers: each of its days is four queries. */
const MAX_DAYS = 92;
const DAY = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY };

/**
 * Checks what can be checked without the time of the environment.
 * @throws {WrongOrdersQuery}
 */
export function checkForms(query: OrdersQuery): void {
  const { customer, sku, search, key, since, from, to } = query;
  if (customer !== undefined && !/^[A-Za-z0-9._@:|-]{1,128}$/.test(customer))
    throw new WrongOrdersQuery('customer', 'expected the id of a customer: 1 to 128 of A-Z a-z 0-9 . _ @ : | -');
  if (sku !== undefined && !/^[A-Za-z0-9._-]{1,64}$/.test(sku))
    throw new WrongOrdersQuery('sku', 'expected a SKU: 1 to 64 of A-Z a-z 0-9 . _ -');
  if (search !== undefined && !/^[\x21-\x7e]{2,128}$/.test(search))
    throw new WrongOrdersQuery('search', 'expected 2 to 128 visible ASCII characters: the beginning of an id');
  if (key !== undefined && customer === undefined)
    throw new WrongOrdersQuery('key', 'expected with customer only: each customer has keys of their own');
  parseWords('status', query.status, STATUSES);
  parseWords('reason', query.reason, REASONS);
  parseLimit(query.limit);
  parseCursor(query.cursor);
  if (since !== undefined && (from !== undefined || to !== undefined))
    throw new WrongOrdersQuery('since', 'expected without from and to: it is the time up to now');
  if (from === undefined && to !== undefined) throw new WrongOrdersQuery('to', 'expected with from only');
  if (since !== undefined) parseLength(since);
  if (from !== undefined) checkTime('from', from);
  if (to !== undefined) checkTime('to', to);
}

/**
 * Reads what is asked. It is a pure function.
 * @param now time of the environment, ISO 8601, UTC
 * @throws {WrongOrdersQuery}
 */
export function parseOrdersQuery(query: OrdersQuery, now: string): OrdersRequest {
  checkForms(query);
  const { customer, sku, search, key, synthetic = false } = query;
  const span = parseSpan(query, now);
  if (customer === undefined && Date.parse(span.to) - Date.parse(span.from) > MAX_DAYS * DAY) {
    const detail = `expected at most ${MAX_DAYS} days without customer: ask for a shorter time, or name a customer`;
    throw new WrongOrdersQuery(query.since === undefined ? 'from' : 'since', detail);
  }
  const cursor = parseCursor(query.cursor);
  return {
    ...span,
    isTimed: query.since !== undefined || query.from !== undefined,
    customer,
    sku,
    search,
    key,
    synthetic,
    statuses: parseWords('status', query.status, STATUSES),
    reasons: parseWords('reason', query.reason, REASONS),
    limit: parseLimit(query.limit),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

function parseWords(name: 'status' | 'reason', text: string | undefined, known: readonly string[]): readonly string[] {
  if (text === undefined) return [];
  return text.split(',').map((word) => {
    const constant = word.trim().toUpperCase().replaceAll('-', '_');
    if (known.includes(constant)) return constant;
    const words = known.map(toWord).join(', ');
    throw new WrongOrdersQuery(name, `'${word}' is unknown: expected ${words}, or several of them with commas`);
  });
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new WrongOrdersQuery('limit', `'${text}' is no such number: expected 1 to ${MAX_LIMIT}`);
}

/** Form of a cursor: the position of an order, with a character between its parts that URLs and shells leave alone. */
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f]{32})$/;

/** Id before each other one: a time alone is the position before its orders. */
const FIRST_ID = '0'.repeat(32);

/** Returns the cursor that continues with what is older than a position, or than a time. */
export const toCursor = (position: string): string => {
  const [time, id = FIRST_ID] = position.split('#');
  return `${time}_${id}`;
};

function parseCursor(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [, time, id] = CURSOR.exec(text) ?? [];
  if (time !== undefined && id !== undefined) return `${time}#${id}`;
  throw new WrongOrdersQuery('cursor', 'expected the nextCursor of an answer, unchanged');
}

type Span = Pick<OrdersRequest, 'from' | 'to'>;

/** Returns the time that is asked for. @default the last hour; the last day for what is named by something else, too */
function parseSpan({ since, from, to, customer, sku, search }: OrdersQuery, now: string): Span {
  if (from === undefined) {
    const back =
      since === undefined ? ((customer ?? sku ?? search) === undefined ? 3_600_000 : DAY) : parseLength(since);
    return { from: before(now, back), to: justAfter(now) };
  }
  const begins = TIME_OF_DAY.test(from) ? findLatest(from, now) : new Date(from).toISOString();
  const ends =
    to === undefined ? justAfter(now) : TIME_OF_DAY.test(to) ? findNext(to, begins) : new Date(to).toISOString();
  if (begins >= ends) throw new WrongOrdersQuery('from', `expected a time before the end, ${ends}`);
  return { from: begins, to: ends };
}

function parseLength(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (number === undefined)
    throw new WrongOrdersQuery('since', `'${text}' is no length of time: expected a number with s, m, h or d, as 1h`);
  return Number(number) * (UNITS[unit] ?? 0);
}

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;
/** A day, or a time with its offset: without one, it would be that of whoever parses it. */
const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;
const FORMS = 'expected a time of day in UTC, as 12:00, or a time, as 2026-12-01T08:00:00Z';

/** @throws {WrongOrdersQuery} */
function checkTime(name: 'from' | 'to', text: string): void {
  if (TIME_OF_DAY.test(text) || (INSTANT.test(text) && !Number.isNaN(Date.parse(text)))) return;
  throw new WrongOrdersQuery(name, `'${text}' is no time: ${FORMS}`);
}

const onDay = (day: string, time: string): string => `${day.slice(0, 'YYYY-MM-DD'.length)}T${time}:00.000Z`;

/** Returns the latest moment with this time of day. */
function findLatest(time: string, now: string): string {
  const today = onDay(now, time);
  return today <= now ? today : before(today, DAY);
}

/** Returns the first moment with this time of day after another one. */
function findNext(time: string, begins: string): string {
  const sameDay = onDay(begins, time);
  return sameDay > begins ? sameDay : before(sameDay, -DAY);
}

const before = (time: string, milliseconds: number): string => new Date(Date.parse(time) - milliseconds).toISOString();

/** The end is no part of the time, but what was placed right now is. */
const justAfter = (now: string): string => before(now, -1);
