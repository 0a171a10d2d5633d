import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { parseIdTime, smallestIdAt } from '@orderly/kit/internal/aws/ids.js';
import { Output } from '@orderly/kit/internal/base/outputs.js';
import type { CommandContext } from '../cli/context.js';
import { ONE_HOUR, type PartitionFilter, parsePartition } from '../records/feed.js';
import { type NotedHours, type Watermark, Watermarks } from './watermarks.js';

/** Hours for which a watermark keeps its notes: an answer audits at most a day. A watermark of eight shards stays below 1 KB. */
const KEPT_HOURS = 27;
/** Hours for which a reader trusts that a missing note means no commits; clocks of functions may differ. */
const TRUSTED_HOURS = KEPT_HOURS - 1;

const hourOf = (time: number): string => new Date(time).toISOString().slice(0, 'YYYY-MM-DDTHH'.length);

/**
 * Notes that a shard has commits in an hour, and forgets what is older than anybody asks for.
 * @param hour its beginning, milliseconds since 1970
 * @param now ISO 8601, UTC
 */
export function noteHour(hours: NotedHours, { hour, shard, now }: { hour: number; shard: number; now: string }) {
  const oldest = hourOf(Date.parse(now) - KEPT_HOURS * ONE_HOUR);
  const key = hourOf(hour);
  const kept = Object.entries(hours).filter(([one]) => one >= oldest);
  const mask = parseMask(hours[key]) | (1n << BigInt(shard));
  return Object.fromEntries([...kept, [key, mask.toString(16)]]);
}

const parseMask = (mask = '0'): bigint => BigInt(`0x${mask}`);

/** Returns the first full hour whose commits are all noted, by a run that continues at these positions. */
export function firstNotedHour(shards: readonly string[]): string {
  const furthest = Math.max(...shards.map((id) => parseIdTime(id) ?? 0));
  return new Date(Math.ceil(furthest / ONE_HOUR) * ONE_HOUR).toISOString();
}

/**
 * Returns which partitions of the feeds may have commits: those that the auditor has not passed, and those in which it has found some.
 * It costs one query.
 * @param table of the auditor
 * @param now ISO 8601, UTC
 */
export async function readAuditedHours(
  documents: DynamoDBDocumentClient,
  table: string,
  now: string,
): Promise<PartitionFilter> {
  const marks = await new Watermarks(documents, table).all(() => undefined);
  const byService = new Map(marks.map((mark) => [mark.service, mark]));
  const trusted = Date.parse(now) - TRUSTED_HOURS * ONE_HOUR;
  return (service, partition) => {
    const { hour, shard } = parsePartition(partition);
    const mark = byService.get(service);
    if (mark === undefined || hour < trusted || !isPassed(mark, hour, shard)) return true;
    return (parseMask(mark.hours?.[hourOf(hour)]) & (1n << BigInt(shard))) !== 0n;
  };
}

/** Whether the auditor has read all of a partition, and noted what it found. */
function isPassed({ notedFrom, shards }: Watermark, hour: number, shard: number): boolean {
  if (notedFrom === undefined || hour < Date.parse(notedFrom)) return false;
  return (shards[shard] ?? '') >= smallestIdAt(hour + ONE_HOUR);
}

/** Returns the auditor's table. @returns nothing where none is deployed */
export const findAuditTable = (stacks: CommandContext['stacks']): string | undefined =>
  Object.values(stacks)
    .flatMap((stack) => Object.entries(stack))
    .find(([key]) => key.endsWith(Output.AUDIT_TABLE))?.[1];
