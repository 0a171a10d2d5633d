import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { listenersNamed, listenersOf, type Service } from '../deployment/services.js';
import { type FoundRecord, failedAgain, failuresOf, readRecord } from '../records/records.js';
import { type Cause, withoutValues } from './cause.js';
import { type Group, groupsOf, type Member } from './group.js';

/** A listed failure, without its message. */
export type Failure = Member & { readonly failure: FoundRecord };

/** Returns the cause of a failure: of its newest reason, since that is what fails now. */
export function causeOf({ listener, record }: Pick<FoundRecord, 'listener' | 'record'>): Cause {
  const [newest] = record.failures ?? [];
  return {
    service: listener.service.name,
    consumer: listener.name,
    error: newest?.name || 'no reason was kept',
    message: withoutValues(newest?.message ?? ''),
  };
}

function memberOf(failure: FoundRecord): Failure {
  const { listener, record, messageId } = failure;
  const cause = causeOf(failure);
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
): Promise<readonly Group<Failure>[]> {
  const listeners = consumer === undefined ? listenersOf(services) : listenersNamed(services, consumer);
  const asked = { limit: Number.POSITIVE_INFINITY, withoutMessages: true };
  const found = await Promise.all(listeners.map((listener) => failuresOf(documents, listener, asked)));
  return groupsOf(found.flat().map(memberOf));
}

/** Reads a listed failure with its message, strongly consistent. @returns `undefined` if it has ended, or failed again */
export async function stillFailed(
  documents: DynamoDBDocumentClient,
  { failure: { listener, messageId, record: listed } }: Failure,
): Promise<FoundRecord | undefined> {
  const record = await readRecord(documents, listener.service, listed.pk);
  return record?.status !== 'FAILED' || failedAgain(listed, record) ? undefined : { listener, messageId, record };
}
