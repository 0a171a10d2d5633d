import { NotModelled } from '../../wire/operation.js';

/** A line, as a query sees it. */
export interface QueriedLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

/** One row of a result: its fields with their values. */
export type ResultRow = readonly { readonly field: string; readonly value: string }[];

/** A query that can't be read, with the reason. */
export class MalformedQuery extends Error {
  override readonly name = 'MalformedQuery';
}

type Fits = (members: Readonly<Record<string, unknown>>) => boolean;

interface Query {
  readonly fields: readonly string[];
  readonly fits: readonly Fits[];
  readonly newestFirst: boolean;
  readonly limit: number;
}

/** Rows of a result if the query has no limit ("CloudWatch Logs Insights language query syntax", limit). */
const DEFAULT_LIMIT = 10_000;
const FIELD = /^[@\w][\w.]*$/;
/** `name = "text"`, `name != "text"` */
const COMPARISON = /^([\w.]+)\s*(=|!=)\s*(?:"([^"\\]*)"|'([^'\\]*)'|(\d+))$/;
/** `name in ["one", "other"]` */
const MEMBERSHIP = /^([\w.]+)\s+in\s+\[([^\]]*)\]$/i;
/** `ispresent(name)` */
const PRESENCE = /^ispresent\(\s*([\w.]+)\s*\)$/i;

/**
 * Runs a query over lines. Of the language it has the commands `fields`, `filter`, `sort @timestamp` and `limit`; of conditions
 * `=`, `!=`, `in` and `ispresent`, joined by `and`. Amazon CloudWatch Logs User Guide, "CloudWatch Logs Insights language query
 * syntax". @throws {NotModelled} for other commands and conditions. @throws {MalformedQuery}
 */
export function runQuery(text: string, lines: readonly QueriedLine[]): readonly ResultRow[] {
  const { fields, fits, newestFirst, limit } = parseQuery(text);
  const found = lines
    .map((line) => ({ line, members: membersOf(line.text) }))
    .filter(({ members }) => fits.every((one) => one(members)))
    .toSorted((one, other) => (newestFirst ? other.line.at - one.line.at : one.line.at - other.line.at));
  return found.slice(0, limit).map(({ line, members }) =>
    fields.flatMap((field) => {
      const value = fieldOf(field, line, members);
      return value === undefined ? [] : { field, value };
    }),
  );
}

function parseQuery(text: string): Query {
  let query: Query = { fields: ['@timestamp', '@message'], fits: [], newestFirst: true, limit: DEFAULT_LIMIT };
  for (const part of text.split('|').map((one) => one.trim())) {
    const [, command = '', rest = ''] = /^(\w+)\s+(.*)$/s.exec(part) ?? [];
    switch (command.toLowerCase()) {
      case 'fields':
        query = { ...query, fields: rest.split(',').map((one) => readField(one.trim())) };
        break;
      case 'filter':
        query = {
          ...query,
          fits: [...query.fits, ...rest.split(/\s+and\s+/i).map((one) => readCondition(one.trim()))],
        };
        break;
      case 'sort':
        query = { ...query, newestFirst: readOrder(rest) };
        break;
      case 'limit':
        query = { ...query, limit: readLimit(rest) };
        break;
      default:
        throw new NotModelled(`the command '${part}' of a query of logs`);
    }
  }
  return query;
}

function readField(text: string): string {
  if (FIELD.test(text)) return text;
  throw new NotModelled(`the field '${text}' of a query of logs`);
}

function readOrder(text: string): boolean {
  const [, order] = /^@timestamp(?:\s+(asc|desc))?$/i.exec(text) ?? [];
  if (!/^@timestamp/i.test(text)) throw new NotModelled(`sort '${text}' in a query of logs`);
  return order?.toLowerCase() === 'desc';
}

function readLimit(text: string): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= DEFAULT_LIMIT) return Number(text);
  throw new MalformedQuery(`limit ${text}: a number from 1 to ${DEFAULT_LIMIT} was expected`);
}

function readCondition(text: string): Fits {
  const [, compared, operator, double, single, number] = COMPARISON.exec(text) ?? [];
  if (compared !== undefined) {
    const wanted = double ?? single ?? number ?? '';
    const equal = operator === '=';
    return (members) => {
      const value = memberAt(members, compared);
      return value !== undefined && (String(value) === wanted) === equal;
    };
  }
  const [, listed, list = ''] = MEMBERSHIP.exec(text) ?? [];
  if (listed !== undefined) {
    const wanted = [...list.matchAll(/"([^"\\]*)"|'([^'\\]*)'/g)].map(([, double, single]) => double ?? single ?? '');
    return (members) => wanted.includes(String(memberAt(members, listed) ?? ''));
  }
  const [, present] = PRESENCE.exec(text) ?? [];
  if (present !== undefined) return (members) => memberAt(members, present) !== undefined;
  throw new NotModelled(`the condition '${text}' of a query of logs`);
}

/** Members of a line that is a JSON object; Insights discovers no fields in any other line. */
function membersOf(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) return {};
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

function memberAt(members: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = members;
  for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  return value;
}

function fieldOf(field: string, { at, text }: QueriedLine, members: ReturnType<typeof membersOf>): string | undefined {
  if (field === '@message') return text;
  if (field === '@timestamp') return new Date(at).toISOString().replace('T', ' ').replace('Z', '');
  const value = memberAt(members, field);
  if (value === undefined) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
