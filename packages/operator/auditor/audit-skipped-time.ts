import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { parseIdTime, smallestIdAt } from '@orderly/kit/internal/aws/ids.js';
import type { CommandContext } from '../cli/context.js';
import { clientConfig } from '../deployment/endpoint.js';
import { parseFunctions } from '../deployment/functions.js';
import type { Service } from '../deployment/services.js';
import { findAuditTable } from './audited-hours.js';
import { AuditKey } from './contract.js';
import { type Watermark, Watermarks } from './watermarks.js';

type Context = Pick<CommandContext, 'documents' | 'endpoint' | 'stacks' | 'services'>;

const AUDITOR = 'operator/auditor/auditor';

/**
 * Lets the delivery audit catch up with the time that a local cloud was forwarded, in which it did not run. It asks a partition of
 * the feed for each hour, tens of thousands in 36 days, and nearly all of them are empty. Here each commit that is left can
 * be looked for at once: the watermarks are moved up to the next commit, the auditor judges it, and so on. What it can't
 * judge yet stays for its own runs.
 * @param until time up to which it catches up, ISO 8601
 */
export async function auditSkippedTime(context: Context, until: string): Promise<void> {
  const { documents, endpoint, stacks, services } = context;
  const table = findAuditTable(stacks);
  const auditor = parseFunctions(stacks).find(({ entry }) => entry === AUDITOR);
  if (table === undefined || auditor === undefined) return;
  const watermarks = new Watermarks(documents, table);
  const lambda = new LambdaClient(clientConfig(endpoint));
  try {
    for (let before = ''; ; ) {
      const marks = await watermarks.all();
      const behind = marks.filter(({ auditedUntil }) => auditedUntil < until);
      for (const mark of behind) {
        const service = services.find(({ name }) => name === mark.service);
        if (service) await watermarks.move(await overEmptyHours(context, service, mark, until));
      }
      const moved = JSON.stringify(await readPositions(watermarks));
      if (behind.length === 0 || moved === before) return;
      before = moved;
      // The time passed at once: the lease of the last run would end some minutes from now.
      await documents.send(new DeleteCommand({ TableName: table, Key: { pk: AuditKey.LEASE, sk: AuditKey.LEASE } }));
      await lambda.send(new InvokeCommand({ FunctionName: auditor.name, Payload: Buffer.from('{}') }));
    }
  } finally {
    lambda.destroy();
  }
}

const readPositions = async (watermarks: Watermarks) =>
  (await watermarks.all()).map(({ service, shards }) => [service, shards]);

/** Returns a watermark at the next commit of each shard, or at a time if there is none before it. */
async function overEmptyHours(
  { documents }: Context,
  { table }: Service,
  mark: Watermark,
  until: string,
): Promise<Watermark> {
  const end = smallestIdAt(Date.parse(until));
  const next = new Map<number, string>();
  const pages = paginateScan({ client: documents }, { TableName: table, ProjectionExpression: 'feedPk, feedSk' });
  for await (const { Items = [] } of pages) {
    for (const { feedPk = '', feedSk } of Items) {
      const shard = Number(String(feedPk).split('#')[1]);
      const judged = mark.shards[shard];
      if (judged !== undefined && feedSk > judged && feedSk < (next.get(shard) ?? end)) next.set(shard, feedSk);
    }
  }
  const shards = mark.shards.map((judged, shard) => {
    const commit = next.get(shard);
    const before = commit === undefined ? end : smallestIdAt(parseIdTime(commit) ?? 0);
    return before > judged ? before : judged;
  });
  const auditedUntil = new Date(Math.min(...shards.map((id) => parseIdTime(id) ?? 0))).toISOString();
  return { ...mark, shards, auditedUntil };
}
