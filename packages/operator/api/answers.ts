import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { Problem } from '@orderly/kit/internal/http/errors.js';
import type { AuditShortcuts } from '../audit/audit.js';
import { audit } from '../audit/audit-command.js';
import type { DuplicateCheck } from '../audit/duplicate-check.js';
import { createTransports } from '../audit/transports.js';
import { listAuditLog } from '../audit-log/audit-log.js';
import { findAuditTable, readAuditedHours } from '../auditor/audited-hours.js';
import type { CommandContext } from '../cli/context.js';
import { OperatorError, RequestRefused } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { parseTimeSpan } from '../cli/text-format.js';
import type { CustomerSource } from '../groups/customers.js';
import { listFailureGroups } from '../groups/list.js';
import { createSqsClient } from '../records/message-sender.js';
import { type StatusSectionReader, showStatus } from '../status/status.js';
import { type AuditQuery, parseAuditQuery } from './audit-query.js';

/** Answer of a route: the JSON object that its command prints with `--json`. */
export interface OperatorAnswer<View> {
  readonly status: 200;
  readonly body: View;
}

/** Largest answer in bytes. AWS Lambda takes 6 MB ("Lambda quotas", synchronous responses), headers and escapes included. */
const MAX_ANSWER_BYTES = 5_000_000;

/**
 * Answers with the JSON object of a command.
 * @template View type of the answer. The command decides what is in it; a test compares it with its documentation
 * @throws {Problem} 404 for what does not exist; 400 for a request that the command refuses, and for more than an answer may
 * contain
 * @throws any other error of the command, which is 500: its details are for the log, not for the caller
 */
export async function answerCommand<View>(outcome: Promise<Outcome>): Promise<OperatorAnswer<View>> {
  try {
    const { json } = await outcome;
    if (Buffer.byteLength(JSON.stringify(json)) > MAX_ANSWER_BYTES)
      throw new Problem('invalid-request', 'the answer has more than 5 MB: ask for less, or use the command line');
    return { status: 200, body: json as View };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const { code, message } = error;
    if (code === 'not-found') throw new Problem('not-found', message, {}, { cause: error });
    if (error instanceof RequestRefused) throw new Problem('invalid-request', message, {}, { cause: error });
    throw error;
  }
}

/** Answers `status`: whether the environment is healthy, and if not, the next command. */
export const answerStatus = <View>(context: CommandContext, sections: readonly StatusSectionReader[]) =>
  answerCommand<View>(showStatus(context, sections, { all: false }));

/**
 * Answers `failures groups` and `failures causes`: failures and stuck sagas by consumer and by cause, with the next command for each.
 * @param customers how the application finds their customers. @default the answer doesn't say them
 * @throws {Problem} 404
 */
export const answerFailureGroups = <View>(
  context: CommandContext,
  { consumer }: { readonly consumer?: string },
  customers?: CustomerSource,
) => answerCommand<View>(listFailureGroups(context, { consumer }, customers));

/** Seconds after which an audit begins no further query. API Gateway waits for 29, and the last page needs some of them. */
export const AUDIT_SECONDS = 20;

/** Most orders, or whatever the application checks, that one answer looks at for what was done twice. */
export const MAX_CHECKED_PER_ANSWER = 500;

/**
 * Answers `audit`: what became of each message at each consumer. It sends nothing again. Partitions of the feeds that the automatic
 * audit has passed and found empty are not asked again: the command asks them all.
 * @param subjects parameters that take an id, by their names, with the types of its aggregates: `{ order: ['Order', 'Payment'] }`
 * @param check how the application finds what was done twice. @default the answer doesn't say that
 * @throws {Problem} 400 for a wrong or too long time, with the command that has no such limit; 404 for what does not exist
 */
export async function answerAudit<View>(
  context: CommandContext,
  query: AuditQuery,
  subjects: AuditShortcuts = {},
  check?: DuplicateCheck,
): Promise<OperatorAnswer<View>> {
  const { endpoint, clock, command } = context;
  const begun = clock.now();
  const request = parseAuditQuery(query, { now: begun, subjects, command });
  const { region } = endpoint;
  const [sqs, lambda, cloudWatch] = [
    createSqsClient(endpoint),
    new LambdaClient({ region }),
    new CloudWatchClient({ region }),
  ];
  try {
    const access = {
      ...createTransports({ sqs, lambda, cloudWatch }, () => clock.now()),
      send: refuseToSend,
      wait: refuseToSend,
    };
    const seconds = (): number => secondsBetween(begun, clock.now());
    const checkDeadline = (): void => refuseIfLate(seconds(), request.command);
    const hasTime = (): boolean => seconds() < AUDIT_SECONDS;
    const table = findAuditTable(context.stacks);
    const readFilter = async () =>
      table === undefined ? undefined : readAuditedHours(context.documents, table, begun);
    const more = { check, mostChecked: MAX_CHECKED_PER_ANSWER, readFilter, beforeEachQuery: checkDeadline, hasTime };
    return await answerCommand<View>(audit(context, request.audit, access, more));
  } finally {
    for (const client of [sqs, lambda, cloudWatch]) client.destroy();
  }
}

/**
 * Ends an audit that an answer can't wait for.
 * @param command that audits the same without a limit
 * @throws {Problem} 400
 */
export function refuseIfLate(seconds: number, command: string): void {
  if (seconds < AUDIT_SECONDS) return;
  const detail = `the audit was not finished within ${AUDIT_SECONDS} seconds: ask for a shorter time, or run ${command}`;
  throw new Problem('invalid-request', detail);
}

const refuseToSend = async (): Promise<never> => {
  throw new OperatorError('refused', 'The API sends nothing: use the command line.');
};

/** Answers `audit-log`: what operators did, newest first. */
export const answerAuditLog = <View>(context: CommandContext, { since = '24h' }: { readonly since?: string }) =>
  answerCommand<View>(listAuditLog(context, { back: parseTimeSpan(since) ?? 0 }));
