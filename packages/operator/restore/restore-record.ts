import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Item } from '@orderly/kit/internal/aws/items.js';
import { INBOX_MODES } from '@orderly/kit/internal/base/outputs.js';
import * as z from 'zod/mini';
import { auditExpiry } from '../audit-log/audit-retention.js';
import { OperatorError } from '../cli/errors.js';
import type { Service } from '../deployment/services.js';
import type { LostCommits } from './lost-commits.js';

/**
 * Partition of the records of restores, in the table of the restored service: any machine continues a restore by it. It has
 * only what can't be seen any more: what was switched off, which epoch there was, and which steps are behind.
 */
export const RESTORE_PARTITION = 'RESTORE';

const Summary = z.object({
  commits: z.number(),
  first: z.exactOptional(z.string()),
  last: z.exactOptional(z.string()),
  types: z.array(z.object({ type: z.string(), count: z.number() })),
  heardBy: z.array(
    z.object({
      service: z.string(),
      consumer: z.string(),
      count: z.number(),
      inbox: z.exactOptional(z.enum(INBOX_MODES)),
    }),
  ),
});
/** The part of {@link LostCommits} that the record keeps. The subjects may be many: they have items of their own. */
type Summary = z.infer<typeof Summary>;

/** A restore that was begun. All times are ISO 8601, UTC. */
const RestoreRecord = z.object({
  /** Instant to which the service is restored. */
  sk: z.string(),
  /** Epoch of the service when it was begun. */
  epoch: z.number(),
  /** Present if commits stored their epoch when it was begun: releases before 0.4 wrote it into envelopes only. */
  commitsHaveEpochs: z.exactOptional(z.literal(true)),
  begunAt: z.string(),
  begunBy: z.string(),
  /** Id of the newest run of the command. An earlier one that still lives must not change anything any more. */
  run: z.string(),
  /** Functions as they were before they were stopped, with the concurrency that was reserved for them. */
  functions: z.array(z.object({ name: z.string(), reserved: z.exactOptional(z.number()) })),
  /** Ids of the event source mappings that were enabled. */
  mappings: z.array(z.string()),
  stoppedAt: z.optional(z.string()),
  /** Time at which the relay was found to have published everything; from then on `forgotten` is there. */
  publishedAt: z.optional(z.string()),
  forgotten: z.optional(Summary),
  /** Time before the first write into the live tables. */
  copyingSince: z.optional(z.string()),
  /**
   * How far the copying is: number of tables that are equal, place in the next one. Whoever continues begins there. It lasts as long as
   * the functions stand still, and says nothing of what was written by hand: the comparison of everything follows.
   */
  copied: z.optional(
    z.object({
      tables: z.number(),
      pass: z.number(),
      after: z.exactOptional(z.object({ pk: z.string(), sk: z.exactOptional(z.string()) })),
    }),
  ),
  copiedAt: z.optional(z.string()),
  /** Time before the first function was started again. */
  startingSince: z.optional(z.string()),
  resumedAt: z.optional(z.string()),
  cancelledAt: z.optional(z.string()),
  /** Time at which the copies were deleted. */
  endedAt: z.optional(z.string()),
});
export type RestoreRecord = z.infer<typeof RestoreRecord>;

/** Fields that a step adds or, with `undefined`, takes away. */
type Progress = Partial<
  Pick<
    RestoreRecord,
    | 'stoppedAt'
    | 'publishedAt'
    | 'forgotten'
    | 'copyingSince'
    | 'copied'
    | 'copiedAt'
    | 'startingSince'
    | 'resumedAt'
    | 'cancelledAt'
    | 'endedAt'
  >
>;

/** Subjects of one item: below 400 KB. */
const SUBJECTS_PER_ITEM = 1_000;

const keyOf = (at: string) => ({ pk: RESTORE_PARTITION, sk: at });

/** Reads all records of restores of a service, the oldest instant first. */
export async function readRestores(
  documents: DynamoDBDocumentClient,
  { table }: Pick<Service, 'table'>,
): Promise<readonly RestoreRecord[]> {
  return (await itemsSince(documents, table, '')).flatMap((item) =>
    String(item.sk).includes('#') ? [] : [z.parse(RestoreRecord, item)],
  );
}

/** Reads the aggregates that a restore made the service forget, as {@link storeLostCommits} has kept them. */
export async function readSubjects(
  documents: DynamoDBDocumentClient,
  { table }: Pick<Service, 'table'>,
  at: string,
): Promise<readonly string[]> {
  const items = await itemsSince(documents, table, `${at}#`);
  return items.flatMap(({ sk, subjects }) =>
    String(sk).startsWith(`${at}#`) && Array.isArray(subjects) ? subjects.map(String) : [],
  );
}

async function itemsSince(documents: DynamoDBDocumentClient, table: string, from: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const page = await documents.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: from === '' ? 'pk = :partition' : 'pk = :partition AND sk >= :from',
        ExpressionAttributeValues: { ':partition': RESTORE_PARTITION, ...(from !== '' && { ':from': from }) },
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      }),
    );
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}

/** The record is kept for as long as the entries of the audit log. @param at time of its item, ISO 8601 */
const expiry = (at: string) => ({ expiresAt: auditExpiry(at) });

/**
 * Writes the record of a restore that begins. One that was cancelled gives its place.
 * @throws {OperatorError} `refused` if another run was faster
 */
export async function beginRestore(
  documents: DynamoDBDocumentClient,
  { table }: Pick<Service, 'table'>,
  record: RestoreRecord,
): Promise<void> {
  const notBegun = 'attribute_not_exists(pk) OR attribute_exists(cancelledAt)';
  const Item = { ...keyOf(record.sk), ...record, ...expiry(record.begunAt) };
  await ownWrite(
    documents.send(new PutCommand({ TableName: table, Item, ConditionExpression: notBegun })),
    'Another run of this command has begun the same restore.',
  );
}

/** Lets a run continue a restore. Earlier runs change nothing from then on. */
export async function takeOverRestore(
  documents: DynamoDBDocumentClient,
  { table }: Pick<Service, 'table'>,
  { at, run }: { readonly at: string; readonly run: string },
): Promise<void> {
  await documents.send(
    new UpdateCommand({
      TableName: table,
      Key: keyOf(at),
      UpdateExpression: 'SET #run = :run',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#run': 'run' },
      ExpressionAttributeValues: { ':run': run },
    }),
  );
}

/** One run of the command: the right to change something. */
export interface RestoreRunId {
  readonly at: string;
  readonly run: string;
}

/**
 * Notes in the record what is done.
 * @throws {OperatorError} `refused` if another run has taken over
 */
export async function recordProgress(
  documents: DynamoDBDocumentClient,
  { table }: Pick<Service, 'table'>,
  { at, run }: RestoreRunId,
  progress: Progress,
): Promise<void> {
  const fields = Object.entries(progress);
  const added = fields.filter(([, value]) => value !== undefined).map(([name]) => `#${name} = :${name}`);
  const removed = fields.filter(([, value]) => value === undefined).map(([name]) => `#${name}`);
  const expression = [
    ...(added.length > 0 ? [`SET ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
  ].join(' ');
  await ownWrite(
    documents.send(
      new UpdateCommand({
        TableName: table,
        Key: keyOf(at),
        UpdateExpression: expression,
        ConditionExpression: '#run = :run',
        ExpressionAttributeNames: { '#run': 'run', ...Object.fromEntries(fields.map(([name]) => [`#${name}`, name])) },
        ExpressionAttributeValues: {
          ':run': run,
          ...Object.fromEntries(fields.flatMap(([name, value]) => (value === undefined ? [] : [[`:${name}`, value]]))),
        },
      }),
    ),
    TAKEN_OVER,
  );
}

/**
 * Keeps what the service will have forgotten: afterwards its feed doesn't have it any more.
 * @throws {OperatorError} `refused` if another run has taken over
 */
export async function storeLostCommits(
  documents: DynamoDBDocumentClient,
  service: Pick<Service, 'table'>,
  own: RestoreRunId,
  {
    forgotten: { subjects, ...forgotten },
    publishedAt,
  }: { readonly forgotten: LostCommits; readonly publishedAt: string },
): Promise<void> {
  for (let first = 0; first < subjects.length; first += SUBJECTS_PER_ITEM) {
    const number = String(first / SUBJECTS_PER_ITEM).padStart(6, '0');
    const some = subjects.slice(first, first + SUBJECTS_PER_ITEM);
    const Item = { pk: RESTORE_PARTITION, sk: `${own.at}#${number}`, subjects: some, ...expiry(publishedAt) };
    await documents.send(new PutCommand({ TableName: service.table, Item }));
  }
  await recordProgress(documents, service, own, { forgotten: forgotten as Summary, publishedAt });
}

const TAKEN_OVER = 'Another run of this command has taken over: this one has stopped.';

/**
 * Checks that no other run has taken over. Between this and the next call another one may: so what writes into the live
 * tables checks in its transaction, too ({@link runCondition}).
 * @throws {OperatorError} `refused`
 */
export async function requireOwnRun(
  documents: DynamoDBDocumentClient,
  { table }: Pick<Service, 'table'>,
  { at, run }: RestoreRunId,
): Promise<void> {
  const { Item } = await documents.send(new GetCommand({ TableName: table, Key: keyOf(at), ConsistentRead: true }));
  if (Item?.run !== run) throw new OperatorError('refused', TAKEN_OVER);
}

/** Returns the condition, for a transaction, that no other run has taken over, and that the copying isn't done. It notes how far that is. */
export const runCondition = (
  { table }: Pick<Service, 'table'>,
  { at, run }: RestoreRunId,
  { tables, pass, after }: NonNullable<RestoreRecord['copied']>,
) => ({
  Update: {
    TableName: table,
    Key: { pk: { S: RESTORE_PARTITION }, sk: { S: at } },
    UpdateExpression: 'SET #copied = :copied',
    ConditionExpression: '#run = :run AND attribute_not_exists(copiedAt)',
    ExpressionAttributeNames: { '#run': 'run', '#copied': 'copied' },
    ExpressionAttributeValues: {
      ':run': { S: run },
      ':copied': {
        M: {
          tables: { N: String(tables) },
          pass: { N: String(pass) },
          ...(after && {
            after: { M: { pk: { S: after.pk }, ...(after.sk !== undefined && { sk: { S: after.sk } }) } },
          }),
        },
      },
    },
  },
});

/** @throws {OperatorError} `refused`, if the transaction's check or the write's condition says that another run has taken over */
export const takenOverError = (): OperatorError => new OperatorError('refused', TAKEN_OVER);

async function ownWrite(write: Promise<unknown>, message: string): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException')
      throw new OperatorError('refused', message);
    throw error;
  }
}
