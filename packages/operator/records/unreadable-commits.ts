import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { ItemExists, putNew } from '@orderly/kit/internal/aws/dynamodb.js';
import { failureItem, recordKey, relayConsumer } from '@orderly/kit/internal/failures/failure-records.js';
import { ContractViolation } from '@orderly/kit/internal/messages/contract.js';
import type { Service } from '../deployment/services.js';
import type { UnreadableCommit } from './commits.js';
import { readRecords } from './consumer-records.js';

/** A commit that can't be read, and that no operator has discarded. */
export interface ReportedCommit extends UnreadableCommit {
  /** Whether its relay has a failure record of it. */
  readonly isRecorded: boolean;
}

/** Returns the id of the failure of a commit, under which its relay records it too: so a commit has one failure. */
export const failureIdOf = ({ pk, sk }: Pick<UnreadableCommit, 'pk' | 'sk'>): string => `${pk}/${sk}`;

/**
 * Returns those commits that are still to be reported: an operator ends the report of a commit by discarding its failure
 * (`failures discard relay <id>`).
 */
export async function filterUndiscarded(
  documents: DynamoDBDocumentClient,
  service: Pick<Service, 'records'>,
  unreadable: readonly UnreadableCommit[],
): Promise<readonly ReportedCommit[]> {
  if (unreadable.length === 0) return [];
  const keyOf = (one: UnreadableCommit): string => recordKey(relayConsumer, failureIdOf(one));
  const records = await readRecords(documents, service, unreadable.map(keyOf));
  const statusOf = new Map(records.map(({ pk, status }) => [pk, status]));
  return unreadable
    .filter((one) => statusOf.get(keyOf(one)) !== 'DISCARDED')
    .map((one) => ({ ...one, isRecorded: statusOf.has(keyOf(one)) }));
}

/**
 * Makes a failure record of a commit that can't be read, as its relay makes it of one that it can't publish. It changes nothing
 * if there is a record. The record contains what the table's stream said of the commit, so `failures redrive relay <id>` publishes
 * it once a release reads it.
 * @param now ISO 8601
 * @returns whether it was recorded now
 */
export async function recordUnreadable(
  documents: DynamoDBDocumentClient,
  service: Pick<Service, 'records'>,
  { pk, sk, fault, item }: UnreadableCommit,
  now: string,
): Promise<boolean> {
  const options = { removeUndefinedValues: true };
  const change = { Keys: marshall({ pk, sk }), NewImage: marshall(item, options) };
  const Item = failureItem(relayConsumer, now, {
    id: failureIdOf({ pk, sk }),
    // A stream record has binary values in Base64.
    payload: JSON.stringify(change, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ),
    error: new ContractViolation('INVALID_ENVELOPE', fault),
  });
  try {
    await putNew({ TableName: service.records, Item }, documents);
    return true;
  } catch (error) {
    if (error instanceof ItemExists) return false;
    throw error;
  }
}
