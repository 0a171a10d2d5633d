import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { TransactWriteItem } from '@orderly/kit/internal/aws/items.js';
import {
  cursorCondition,
  cursorKey,
  cursorUpdate,
  isNext,
  placeKey,
  readCursor,
  type SequencePlace,
} from '@orderly/kit/internal/inbox/sequence-keys.js';
import { readEnvelope } from '@orderly/kit/internal/messages/envelope.js';
import { type FoundRecord, readPayload } from '../records/consumer-records.js';

/**
 * Discards a failed message of an inbox in mode sequential, and moves the cursor of its subject over it in the same
 * transaction: its successors follow. A message whose predecessors are not done yet leaves a tombstone at its place, over
 * which the runner moves the cursor when it comes there.
 * @param discarding writes that discard the failed record and say who did it
 * @param at time of the discard, ISO 8601
 * @throws what the SDK throws: TransactionCanceledException if the record or the cursor changed at this moment
 */
export async function discardInSequence(
  documents: DynamoDBDocumentClient,
  found: FoundRecord,
  discarding: readonly TransactWriteItem[],
  at: string,
): Promise<void> {
  const { listener, record, messageId } = found;
  const { records } = listener.service;
  const place = readPlace(found);
  if (place === undefined) {
    // Nobody can read which place it has, so it has none.
    await documents.send(new TransactWriteCommand({ TransactItems: [...discarding] }));
    return;
  }
  const pk = placeKey(listener, place);
  if (record.pk !== pk && (await isTaken(documents, records, pk))) {
    // Another copy of the message has its place. Only the failure under its own id ends.
    await documents.send(new TransactWriteCommand({ TransactItems: [...discarding] }));
    return;
  }
  const cursor = cursorKey(listener, place.subject);
  const { Item } = await documents.send(
    new GetCommand({ TableName: records, Key: { pk: cursor }, ConsistentRead: true }),
  );
  const from = readCursor(Item);
  const { condition, names, values } = cursorCondition(from);
  const cursorWrite: TransactWriteItem = isNext(place, from)
    ? { Update: cursorUpdate(records, cursor, from, place, at) }
    : {
        ConditionCheck: {
          TableName: records,
          Key: { pk: cursor },
          ConditionExpression: condition,
          ...(Object.keys(values).length === 0
            ? {}
            : { ExpressionAttributeNames: names, ExpressionAttributeValues: values }),
        },
      };
  // In release 0.3 and earlier, a message that failed before it was stored had its failure record under its own id, and its place
  // was empty.
  const tombstone: TransactWriteItem[] =
    record.pk === pk
      ? []
      : [
          {
            Put: {
              TableName: records,
              Item: { pk, status: 'DISCARDED', messageId, ...place, discardedAt: at },
              ConditionExpression: 'attribute_not_exists(pk)',
            },
          },
        ];
  await documents.send(new TransactWriteCommand({ TransactItems: [...discarding, cursorWrite, ...tombstone] }));
}

async function isTaken(documents: DynamoDBDocumentClient, TableName: string, pk: string): Promise<boolean> {
  const { Item } = await documents.send(new GetCommand({ TableName, Key: { pk }, ConsistentRead: true }));
  return Item !== undefined;
}

/** Returns the place of a message, or `undefined` if the message cannot be read. */
function readPlace({ record }: FoundRecord): SequencePlace | undefined {
  const { subject, sequence, epoch = 0, follows } = record;
  if (subject !== undefined && sequence !== undefined)
    return { subject, sequence, epoch, ...(follows === undefined ? {} : { follows }) };
  const payload = readPayload(record);
  try {
    if (payload === undefined) return undefined;
    const message = readEnvelope(payload);
    return {
      subject: message.subject,
      sequence: message.sequence,
      epoch: message.epoch,
      ...(message.follows === undefined ? {} : { follows: message.follows }),
    };
  } catch {
    return undefined;
  }
}
