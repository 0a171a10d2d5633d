import { type DynamoDBDocumentClient, PutCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '@orderly/kit/internal/aws/ids.js';
import { AUDIT_PREFIX } from '@orderly/kit/internal/base/outputs.js';
import * as z from 'zod/mini';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { alignColumns, pluralize } from '../cli/text-format.js';
import type { Service } from '../deployment/services.js';
import { auditExpiry, auditLogSince } from './audit-retention.js';

const Entry = z.object({
  /** Time, then a unique id. */
  sk: z.string(),
  /** ISO 8601, UTC. */
  at: z.string(),
  /** Who: the caller's ARN at AWS, the machine's user elsewhere. */
  actor: z.string(),
  /** An {@link Action}'s, or that of another release. */
  action: z.string(),
  /** Its target: a consumer and a message id, a consumer, a saga, or a step of a restore. */
  target: z.string(),
  /** Reason or note that the operator gave. */
  reason: z.optional(z.string()),
  /** Group of failures, if it was done to one; the id of the command's run, if it may be done to many at once. */
  group: z.optional(z.string()),
  /** Cause across consumers, if it was done to one. */
  cause: z.optional(z.string()),
  run: z.optional(z.string()),
  /** Its result. Absent if the command ended before it knew. */
  result: z.optional(z.string()),
});
type Entry = z.infer<typeof Entry>;

/** An entry of the audit log, before it is written. */
export type Action = Pick<Entry, 'actor' | 'target' | 'reason' | 'group' | 'cause' | 'run'> & {
  readonly action:
    | 'redrive'
    | 'discard'
    | 'retry'
    | 'resolve'
    | 'resend'
    | 'replay'
    | 'restore'
    | 'pause'
    | 'resume'
    | 'annotate';
};

/** Run of a command over a group of failures, or over a cause. Its entries are listed as one. */
export type Run = Pick<Action, 'group' | 'cause' | 'run'>;

/** Returns the partition of the entries of a time's month: `AUDIT#2026-11`. */
const partitionOf = (at: string): string => AUDIT_PREFIX + at.slice(0, 'YYYY-MM'.length);

/** Key of an entry. */
export interface AuditKey {
  readonly table: string;
  readonly pk: string;
  readonly sk: string;
}

/**
 * Returns the `Put` of an entry, for the transaction of the effect, and its key.
 * @param service service whose table keeps the entry: the one whose data the operator changes
 * @param at time of the effect, ISO 8601
 */
export function auditEntry({ table }: Pick<Service, 'table'>, action: Action, at: string) {
  const key = { pk: partitionOf(at), sk: `${at}#${newId(Date.parse(at))}` };
  const kept = Object.fromEntries(Object.entries(action).filter(([, value]) => value !== undefined));
  const Item = { ...key, at, ...kept, expiresAt: auditExpiry(at) };
  const put = { TableName: table, Item };
  return { put, key: { table, ...key } satisfies AuditKey };
}

/**
 * Writes an entry before an effect that no transaction can contain: a message that is sent. So an effect always has its
 * entry; an entry without a result may have no effect.
 */
export async function appendAuditEntry(
  { documents, clock }: Pick<CommandContext, 'documents' | 'clock'>,
  service: Pick<Service, 'table'>,
  action: Action,
): Promise<AuditKey> {
  const { put, key } = auditEntry(service, action, clock.now());
  // Its key is new, so a retry of the SDK writes the same item again.
  await documents.send(new PutCommand(put));
  return key;
}

/** Adds the result to an entry. */
export async function recordResult(
  documents: DynamoDBDocumentClient,
  { table, pk, sk }: AuditKey,
  result: string,
): Promise<void> {
  await documents.send(
    new UpdateCommand({
      TableName: table,
      Key: { pk, sk },
      UpdateExpression: 'SET #result = :result',
      ExpressionAttributeNames: { '#result': 'result' },
      ExpressionAttributeValues: { ':result': result },
    }),
  );
}

/**
 * `audit-log`: what operators and the delivery audit did, newest first.
 * @param back seconds back from now
 */
export async function listAuditLog(
  { documents, services, clock }: Pick<CommandContext, 'documents' | 'services' | 'clock'>,
  { back }: { readonly back: number },
): Promise<Outcome> {
  const now = clock.now();
  const since = auditLogSince(back, now);
  const found = await Promise.all(services.map((service) => readEntries(documents, service, { since, now })));
  const entries = found.flat().toSorted((one, other) => other.sk.localeCompare(one.sk));
  return { exitCode: Exit.OK, text: renderEntries(entries, since), json: { actions: entries.map(toListedJson) } };
}

type Listed = Entry & { readonly service: string };

async function readEntries(
  documents: DynamoDBDocumentClient,
  { name, table }: Service,
  { since, now }: { readonly since: string; readonly now: string },
): Promise<readonly Listed[]> {
  const entries: Listed[] = [];
  for (const month of monthsSince(since, now)) {
    const pages = paginateQuery(
      { client: documents },
      {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :month AND sk >= :since',
        ExpressionAttributeValues: { ':month': AUDIT_PREFIX + month, ':since': since },
      },
    );
    for await (const { Items = [] } of pages)
      entries.push(...Items.map((item) => ({ service: name, ...parseEntry(item) })));
  }
  return entries;
}

/** Reads an entry. One that can't be read, as of another release, is listed as such. */
function parseEntry(item: Readonly<Record<string, unknown>>): Entry {
  const { success, data } = z.safeParse(Entry, item);
  if (success) return data;
  const sk = String(item.sk);
  return { sk, at: sk.slice(0, sk.indexOf('#')), actor: '?', action: '?', target: "an entry that can't be read" };
}

/** Returns the months from one time to another: `['2026-10', '2026-11']`. */
export function monthsSince(since: string, now: string): readonly string[] {
  const months: string[] = [];
  const last = now.slice(0, 7);
  for (let at = new Date(`${since.slice(0, 7)}-01T00:00:00.000Z`); ; at.setUTCMonth(at.getUTCMonth() + 1)) {
    const month = at.toISOString().slice(0, 7);
    if (month > last) return months;
    months.push(month);
  }
}

const toListedJson = ({ sk: _, ...entry }: Listed) => entry;

/** Results of actions that have none of their own. */
const RESULTS: Readonly<Record<string, string>> = { discard: 'discarded', resend: 'sent', annotate: 'noted' };

/** One row: an action, or all actions of one run. */
interface Row {
  readonly first: Listed;
  readonly results: Map<string, number>;
  count: number;
}

function renderEntries(entries: readonly Listed[], since: string): string {
  if (entries.length === 0)
    return `no entry since ${since}: no operator changed anything, and the delivery audit sent nothing again`;
  const rows = new Map<string, Row>();
  for (const entry of entries) {
    const key = entry.run ?? entry.sk;
    const row = rows.get(key) ?? { first: entry, results: new Map<string, number>(), count: 0 };
    const result = entry.result ?? RESULTS[entry.action] ?? 'result unknown';
    row.count++;
    row.results.set(result, (row.results.get(result) ?? 0) + 1);
    rows.set(key, row);
  }
  const who = new Set(entries.map(({ actor }) => actor)).size;
  const head = `${pluralize(entries.length, 'action')} by ${pluralize(who, 'actor')} since ${since}, newest first`;
  return [head, '', ...[...rows.values()].map(renderRow)].join('\n');
}

function renderRow({ first, results, count }: Row): string {
  const { at, service, actor, action, target, reason, group, cause } = first;
  const messages = pluralize(count, 'message');
  const of = cause === undefined ? group && `group ${group}` : `cause ${cause}`;
  const many = of === undefined ? messages : `${of}: ${messages}`;
  const whom = first.run === undefined || count === 1 ? target : many;
  const what = [...results].map(([result, times]) => (count === 1 ? result : `${times} ${result}`)).join(', ');
  const rows = [
    ['by', actor],
    ['to', `${service}: ${whom}`],
    ...(reason === undefined ? [] : [['why', reason]]),
    ['result', what],
  ];
  return `${at}  ${action}\n${alignColumns(rows, '    ')}`;
}
