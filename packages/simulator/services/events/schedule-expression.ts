import { NotModelled } from '../../wire/operation.js';

/** Times of a schedule, milliseconds since 1970. */
export interface ScheduleTimes {
  /** Whether it comes once. */
  readonly isOnce: boolean;
  /** Returns the first time at or after a moment; `undefined` if there is none. */
  next(from: number): number | undefined;
}

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const DAY = 86_400_000;
/** Days after which a `cron` that has found no time has none: the longest gap between two 29ths of February. */
const LOOKED_AHEAD = 8 * 366;

/**
 * Reads an expression. EventBridge Scheduler User Guide, "Schedule types in EventBridge Scheduler".
 * @param zone IANA name of the time zone; of `rate` it changes nothing
 * @param begins milliseconds since 1970: a `rate` counts from there, and comes there first
 * @throws {NotModelled} for what AWS refuses, too
 */
export function readExpression(expression: string, zone: string, begins: number): ScheduleTimes {
  const [, kind, text = ''] = /^(rate|at|cron)\(([^()]+)\)$/.exec(expression) ?? [];
  if (kind === 'rate') return readRate(expression, text, begins);
  if (kind === 'at') return readOnce(expression, text, zone);
  if (kind === 'cron') return readCron(expression, text, zone);
  throw new NotModelled(`the schedule ${expression}`);
}

function readRate(expression: string, text: string, begins: number): ScheduleTimes {
  const [, value, unit = ''] = /^([1-9]\d*) (minute|hour|day)s?$/.exec(text) ?? [];
  if (value === undefined) throw new NotModelled(`the schedule ${expression}`);
  const period = Number(value) * (UNITS[unit] ?? Number.NaN);
  return { isOnce: false, next: (from) => begins + Math.max(0, Math.ceil((from - begins) / period)) * period };
}

function readOnce(expression: string, text: string, zone: string): ScheduleTimes {
  const local = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(local)) throw new NotModelled(`the schedule ${expression}`);
  const at = toUtc(local, zone) ?? local;
  return { isOnce: true, next: (from) => (from <= at ? at : undefined) };
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Tells whether a field of an expression has a value. */
type CronField = (value: number) => boolean;

function readCron(expression: string, text: string, zone: string): ScheduleTimes {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 6) throw new NotModelled(`the schedule ${expression}`);
  const field = (at: number, least: number, most: number, names: readonly string[] = []): CronField =>
    readField(fields[at] ?? '', { expression, least, most, names });
  const minutes = list(field(0, 0, 59), 59);
  const hours = list(field(1, 0, 23), 23);
  const isLastDay = fields[2] === 'L';
  const day = isLastDay ? () => true : field(2, 1, 31);
  const month = field(3, 1, 12, MONTHS);
  const weekday = field(4, 1, 7, DAYS);
  const year = field(5, 1970, 2199);
  const fits = (date: Date): boolean =>
    year(date.getUTCFullYear()) &&
    month(date.getUTCMonth() + 1) &&
    day(date.getUTCDate()) &&
    weekday(date.getUTCDay() + 1) &&
    (!isLastDay || new Date(date.getTime() + DAY).getUTCDate() === 1);
  const next = (from: number): number | undefined => {
    const today = Math.floor((from + offsetAt(from, zone)) / DAY) * DAY;
    for (let ahead = 0; ahead <= LOOKED_AHEAD; ahead++) {
      const date = today + ahead * DAY;
      if (!fits(new Date(date))) continue;
      for (const hour of hours)
        for (const minute of minutes) {
          const at = toUtc(date + hour * 3_600_000 + minute * 60_000, zone);
          if (at !== undefined && at >= from) return at;
        }
    }
    return undefined;
  };
  return { isOnce: false, next };
}

const list = (field: CronField, most: number): readonly number[] =>
  Array.from({ length: most + 1 }, (_, value) => value).filter(field);

interface FieldRange {
  readonly expression: string;
  readonly least: number;
  readonly most: number;
  /** Names of the values, from the least one on. */
  readonly names: readonly string[];
}

/** `*`, `?`, values, ranges and steps, separated by commas. */
function readField(text: string, { expression, least, most, names }: FieldRange): CronField {
  const toNumber = (value: string): number => {
    const named = names.indexOf(value.toUpperCase());
    return named >= 0 ? named + least : /^\d+$/.test(value) ? Number(value) : Number.NaN;
  };
  const parts = text.split(',').map((part): CronField => {
    const [range = '', step] = part.split('/');
    const isAny = range === '*' || range === '?';
    const [first = '', last] = range.split('-');
    const from = isAny ? least : toNumber(first);
    const to = isAny || (step !== undefined && last === undefined) ? most : toNumber(last ?? first);
    const by = step === undefined ? 1 : Number(step);
    if (![from, to, by].every(Number.isInteger) || by < 1) throw new NotModelled(`the schedule ${expression}`);
    return (value) => value >= from && value <= to && (value - from) % by === 0;
  });
  return (value) => parts.some((part) => part(value));
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns what the clocks of a zone show in addition to UTC, in milliseconds. @throws {NotModelled} for an unknown zone */
function offsetAt(utc: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const known = formats.get(zone) ?? createFormat(zone);
  formats.set(zone, known);
  const parts = Object.fromEntries(known.formatToParts(utc).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(utc / 1000) * 1000;
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit';
  const shown = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...shown });
  } catch {
    throw new NotModelled(`the time zone ${timeZone}`);
  }
}

/**
 * Returns the moment at which the clocks of a zone show a time, the first one if they show it twice; nothing if they skip it.
 * "Schedule types": a time that is skipped in spring has no invocation.
 */
function toUtc(local: number, zone: string): number | undefined {
  const guesses = [local - offsetAt(local - DAY, zone), local - offsetAt(local + DAY, zone)];
  return guesses.find((guess) => guess + offsetAt(guess, zone) === local);
}
