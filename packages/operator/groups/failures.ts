import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { findListeners, listListeners, type Service } from '../deployment/services.js';
import { type FoundRecord, failedAgain, listFailureRecords, readRecord } from '../records/consumer-records.js';
import { type Cause, maskVariableParts } from './cause.js';
import { groupFailures, type Member, type OperatorGroup } from './group.js';

/** A listed failure, without its message. */
export type Failure = Member & { readonly failure: FoundRecord };

/** Returns the cause of a failure: of its newest reason, since that is what fails now. */
export function toCause({ listener, record }: Pick<FoundRecord, 'listener' | 'record'>): Cause {
  const [newest] = record.failures ?? [];
  return {
    service: listener.service.name,
    consumer: listener.name,
    error: newest?.name || 'no reason was kept',
    message: maskVariableParts(newest?.message ?? ''),
  };
}

function memberOf(failure: FoundRecord): Failure {
  const { listener, record, messageId } = failure;
  const cause = toCause(failure);
  return {
    id: messageId,
    cause,
    trouble: { what: 'failure', consumer: cause.consumer, error: cause.error },
    at: record.failedAt ?? '',
    show: ['failures', 'show', listener.name],
    subject: record.subject,
    unknown: record.unknown === true,
    sealed: record.failures?.[0]?.sealed !== undefined,
    failure,
  };
}

/**
 * Reads the failures of an environment, or of one consumer, and groups them. Eventually consistent.
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export async function readFailureGroups(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  consumer?: string,
): Promise<readonly OperatorGroup<Failure>[]> {
  const listeners = consumer === undefined ? listListeners(services) : findListeners(services, consumer);
  const asked = { limit: Number.POSITIVE_INFINITY, withoutMessages: true };
  const found = await Promise.all(listeners.map((listener) => listFailureRecords(documents, listener, asked)));
  return groupFailures(found.flat().map(memberOf));
}

/** Reads a listed failure with its message, strongly consistent. @returns `undefined` if it has ended, or failed again */
export async function stillFailed(
  documents: DynamoDBDocumentClient,
  { failure: { listener, messageId, record: listed } }: Failure,
): Promise<FoundRecord | undefined> {
  const record = await readRecord(documents, listener.service, listed.pk);
  return record?.status !== 'FAILED' || failedAgain(listed, record) ? undefined : { listener, messageId, record };
}
