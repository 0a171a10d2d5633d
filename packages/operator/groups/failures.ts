import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { findListeners, listListeners, type Service } from '../deployment/services.js';
import { type FoundRecord, failedAgain, listFailureRecords, readRecord } from '../records/consumer-records.js';
import { type Cause, maskVariableParts, type SharedCause } from './cause.js';
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

/**
 * Returns who sent a failed message. Its record says it; of a record without it, the consumer's subscription to the
 * type says it. A commit that could not be published is its own service's.
 * @param app name of the application, which the sources of its services begin with
 */
export function findPublisher({ listener, record }: Pick<FoundRecord, 'listener' | 'record'>, app: string) {
  const { source, type } = record;
  if (!listener.consumer) return listener.service.name;
  if (source !== undefined) return source.startsWith(`${app}.`) ? source.slice(app.length + 1) : source;
  return listener.consumer.events.find(({ types }) => type !== undefined && types.includes(type))?.service;
}

/** Returns the cause of a failure without its consumer. */
export function toSharedCause(failure: Pick<FoundRecord, 'listener' | 'record'>, app: string): SharedCause {
  const { error, message } = toCause(failure);
  const publisher = findPublisher(failure, app);
  const { type } = failure.record;
  return { error, message, ...(publisher !== undefined && { publisher }), ...(type !== undefined && { type }) };
}

function memberOf(failure: FoundRecord, app: string): Failure {
  const { listener, record, messageId } = failure;
  const cause = toCause(failure);
  return {
    id: messageId,
    cause,
    shared: toSharedCause(failure, app),
    trouble: { what: 'failure', consumer: cause.consumer, error: cause.error },
    at: record.failedAt ?? '',
    show: ['failures', 'show', listener.name],
    subject: record.subject,
    unknown: record.unknown === true,
    sealed: record.failures?.[0]?.sealed !== undefined,
    failure,
  };
}

/** Where failures are read. */
export interface FailureContext {
  /** Name of the application. */
  readonly app: string;
  readonly documents: DynamoDBDocumentClient;
  readonly services: readonly Service[];
}

/**
 * Reads the failures of an environment, or of one consumer, and groups them. Eventually consistent.
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export const readFailureGroups = async (
  context: FailureContext,
  consumer?: string,
): Promise<readonly OperatorGroup<Failure>[]> => groupFailures(await readFailures(context, consumer));

/**
 * Reads the failures of an environment, or of one consumer, by the index of failures. Eventually consistent, in any order.
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export async function readFailures(
  { app, documents, services }: FailureContext,
  consumer?: string,
): Promise<readonly Failure[]> {
  const listeners = consumer === undefined ? listListeners(services) : findListeners(services, consumer);
  const asked = { limit: Number.POSITIVE_INFINITY, withoutMessages: true };
  const found = await Promise.all(listeners.map((listener) => listFailureRecords(documents, listener, asked)));
  return found.flat().map((failure) => memberOf(failure, app));
}

/** Reads a listed failure with its message, strongly consistent. @returns `undefined` if it has ended, or failed again */
export async function stillFailed(
  documents: DynamoDBDocumentClient,
  { failure: { listener, messageId, record: listed } }: Failure,
): Promise<FoundRecord | undefined> {
  const record = await readRecord(documents, listener.service, listed.pk);
  return record?.status !== 'FAILED' || failedAgain(listed, record) ? undefined : { listener, messageId, record };
}
