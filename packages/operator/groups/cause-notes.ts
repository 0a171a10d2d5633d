import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { TransactWriteItem } from '@orderly/kit/internal/aws/items.js';
import { queryItems } from '@orderly/kit/internal/aws/read-items.js';
import { AUDIT_PREFIX } from '@orderly/kit/internal/base/outputs.js';
import * as z from 'zod/mini';
import { auditEntry } from '../audit-log/audit-log.js';
import { auditExpiry } from '../audit-log/audit-retention.js';
import type { Service } from '../deployment/services.js';

/**
 * Partition of the notes that a service's table has about causes. It begins as those of the audit log do, so a restore keeps it
 * as it is.
 */
export const CAUSE_NOTES = `${AUDIT_PREFIX}CAUSES`;

/** Notes of a service at most that are read. Each expires 400 days after its last change. */
const MOST_NOTES = 1_000;

/** What operators have said of a cause. */
export interface CauseNote {
  /** Who takes care of it. */
  readonly owner?: string;
  /** Number or address of a ticket. */
  readonly ticket?: string;
  readonly note?: string;
  /** Who changed it last, and when (ISO 8601). */
  readonly by: string;
  readonly at: string;
}

/** Names of what a note says. */
export const NOTE_FIELDS = ['owner', 'ticket', 'note'] as const;

/** A note, and the service whose table has it. */
export interface StoredNote {
  readonly service: Service;
  readonly note: CauseNote;
}

const StoredItem = z.object({
  owner: z.exactOptional(z.string()),
  ticket: z.exactOptional(z.string()),
  note: z.exactOptional(z.string()),
  by: z.string(),
  at: z.string(),
});

/**
 * Reads the notes by the ids of their causes, with one query of a small partition for each service; strongly consistent. Of two
 * notes about one cause the newer one counts. One that this release can't read is left out.
 */
export async function readCauseNotes(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
): Promise<ReadonlyMap<string, StoredNote>> {
  const read = await Promise.all(services.map((service) => readNotesOf(documents, service)));
  const oldestFirst = read.flat().toSorted((one, other) => one.note.at.localeCompare(other.note.at));
  return new Map(oldestFirst.map(({ cause, service, note }) => [cause, { service, note }]));
}

async function readNotesOf(documents: DynamoDBDocumentClient, service: Service) {
  const { items } = await queryItems(
    documents,
    {
      TableName: service.table,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :notes',
      ExpressionAttributeValues: { ':notes': CAUSE_NOTES },
    },
    { limit: MOST_NOTES },
  );
  return items.flatMap((item) => {
    const { data } = z.safeParse(StoredItem, item);
    return data ? [{ cause: String(item.sk), service, note: data }] : [];
  });
}

/**
 * Stores a note about a cause in place of the one before, in one transaction with its entry in the audit log. A note that says nothing
 * is deleted.
 * @param cause id of the cause
 * @param service service whose table keeps it: the one that has the note before
 */
export async function storeCauseNote(
  documents: DynamoDBDocumentClient,
  service: Service,
  { cause, note }: { readonly cause: string; readonly note: CauseNote },
): Promise<void> {
  const { table } = service;
  const { by, at } = note;
  const reason = describeNote(note);
  const Key = { pk: CAUSE_NOTES, sk: cause };
  const isEmpty = NOTE_FIELDS.every((field) => note[field] === undefined);
  const write: TransactWriteItem = isEmpty
    ? { Delete: { TableName: table, Key } }
    : { Put: { TableName: table, Item: { ...Key, ...note, expiresAt: auditExpiry(at) } } };
  const action = { actor: by, action: 'annotate', target: `cause ${cause}`, cause, reason } as const;
  const { put } = auditEntry(service, action, at);
  await documents.send(new TransactWriteCommand({ TransactItems: [write, { Put: put }] }));
}

/** Says a note in one line: `owner olga, ticket 4711: the publisher is being mended`. */
export function describeNote({ owner, ticket, note }: Pick<CauseNote, 'owner' | 'ticket' | 'note'>): string {
  const about = [owner && `owner ${owner}`, ticket && `ticket ${ticket}`].filter(Boolean).join(', ');
  return [about, note].filter(Boolean).join(': ') || 'nothing';
}
