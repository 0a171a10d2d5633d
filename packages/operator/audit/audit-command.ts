import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { newId } from '@orderly/kit/internal/aws/ids.js';
import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import { appendAuditEntry } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError, RequestRefused } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { pluralize } from '../cli/text-format.js';
import { clientConfig, currentTime } from '../deployment/endpoint.js';
import { findListeners, type Service } from '../deployment/services.js';
import type { PartitionFilter } from '../records/feed.js';
import { createSender, createSqsClient, type SendMessage, type Sleep, sleep } from '../records/message-sender.js';
import { failureIdOf, type ReportedCommit, recordUnreadable } from '../records/unreadable-commits.js';
import { type AuditTotals, auditAggregates, auditSpan, buildQueueBody } from './audit.js';
import { type DuplicateCheck, findDuplicates, MAX_CHECKED, SeenIds } from './duplicate-check.js';
import {
  type AuditTransports,
  describeResendReason,
  excludeOwnMessages,
  type JudgedDelivery,
} from './judge-deliveries.js';
import { subjectOf } from './published-messages.js';
import { duplicatesToJson, type MissingDelivery, renderAuditReport, type UnreadableFinding } from './report.js';
import type { AuditRequest } from './request.js';
import { createTransports } from './transports.js';
import { describeVerdict } from './verdict.js';

/** Access to queues and functions, at an endpoint. */
export interface AuditAccess extends AuditTransports {
  readonly send: SendMessage;
  /** Waits between two messages that are sent again. */
  readonly wait: Sleep;
}

/** Additions of an application and of the caller to an audit. */
export interface AuditExtras {
  /** Finds what was done twice; an audit of one consumer leaves it out. @default the audit doesn't ask for that */
  readonly check?: DuplicateCheck | undefined;
  /** Most ids that are checked. @default 10,000 */
  readonly mostChecked?: number;
  /** Returns which partitions of the feeds may have commits. @default each may: all of them are asked */
  readonly readFilter?: () => Promise<PartitionFilter | undefined>;
  /** Called before each query of the audit; what it throws ends it. @default there is no limit */
  readonly beforeEachQuery?: () => void;
  /** Whether there is time to check more ids. What was audited stays, whatever it says. @default always */
  readonly hasTime?: () => boolean;
}

/** `audit`. @throws {OperatorError} `not-found` for a consumer that doesn't exist */
export async function runAudit(
  context: CommandContext,
  request: AuditRequest,
  check: DuplicateCheck | undefined,
): Promise<Outcome> {
  const { endpoint } = context;
  const config = clientConfig(endpoint);
  const [sqs, lambda, cloudWatch] = [createSqsClient(endpoint), new LambdaClient(config), new CloudWatchClient(config)];
  try {
    const transports = createTransports({ sqs, lambda, cloudWatch }, () => currentTime(endpoint));
    return await audit(context, request, { ...transports, send: createSender(sqs), wait: sleep }, { check });
  } finally {
    for (const client of [sqs, lambda, cloudWatch]) client.destroy();
  }
}

/**
 * The command, with its access to queues and functions.
 * @throws {OperatorError} `not-found`, or `refused` for an empty span
 */
export async function audit(
  context: Pick<CommandContext, 'app' | 'documents' | 'services' | 'command' | 'say' | 'actor' | 'clock'>,
  request: AuditRequest,
  access: AuditAccess,
  { check, mostChecked = MAX_CHECKED, readFilter, beforeEachQuery, hasTime = () => true }: AuditExtras = {},
): Promise<Outcome> {
  const { app, documents, services, command, say } = context;
  const { subject, consumer, graceSeconds, resend, rate } = request;
  if (consumer !== undefined) findListeners(services, consumer);
  const span = resolveSpan(request, access.now());
  const missing: MissingDelivery[] = [];
  const unreadable: UnreadableFinding[] = [];
  const actor = resend ? await context.actor() : '';
  const run = newId(Date.parse(access.now()));
  let told = performance.now();
  const transports = excludeOwnMessages(access);
  const ids = consumer === undefined && check ? new SeenIds(check) : undefined;
  const mayHaveCommits = subject === undefined ? await readFilter?.() : undefined;
  const options = {
    ...(mayHaveCommits && { mayHaveCommits }),
    documents,
    services,
    transports,
    graceSeconds,
    consumer,
    missing: async (delivery: JudgedDelivery, from: Service): Promise<void> => {
      const queueUrl = delivery.listener.consumer?.queueUrl;
      if (resend && queueUrl !== undefined) {
        if (missing.length > 0) await access.wait(1 / rate);
        const { name, service } = delivery.listener;
        const target = `${name} ${delivery.message.id}`;
        await appendAuditEntry(context, service, {
          actor,
          action: 'resend',
          target,
          reason: describeResendReason(delivery),
          run,
        });
        await transports.send(queueUrl, buildQueueBody(delivery, from, app));
      }
      missing.push(toMissingDelivery(delivery, from));
    },
    unreadable: async (commit: ReportedCommit, from: Service): Promise<void> => {
      const isRecorded =
        commit.isRecorded || (resend && (await recordUnreadable(documents, from, commit, access.now())));
      unreadable.push({ service: from.name, commit: failureIdOf(commit), fault: commit.fault, isRecorded });
    },
    ...(beforeEachQuery && { beforeEachQuery }),
    ...(ids && { seen: (commits: readonly Commit[]) => ids.add(commits) }),
    progress: ({ name }: Service, { commits }: AuditTotals): void => {
      if (performance.now() - told < PROGRESS_INTERVAL_MS) return;
      told = performance.now();
      say(`${name}: ${pluralize(commits, 'commit')} so far, ${missing.length} missing`);
    },
  };
  const subjects = subject === undefined ? [] : [subject, ...(request.parts ?? [])];
  const audited = subject === undefined ? await auditSpan(span, options) : await auditAggregates(subjects, options);
  if (subject !== undefined && audited.commits + unreadable.length === 0)
    throw new OperatorError('not-found', `No service has a commit of ${subject}.`, ['audit', '--since', '1h']);
  const checking = { context, most: mostChecked, hasTime };
  const twice = check && ids && (await findDuplicates(check, ids, checking));
  const verdict = describeVerdict(audited, {
    missing: missing.length,
    unreadable: unreadable.length,
    consumer,
    resend,
  });
  const found = { audited, verdict, missing, unreadable, twice, request, span, now: access.now(), command };
  return {
    exitCode: twice && twice.found.length > 0 ? Exit.FAILED : toExitCode(missing.length, unreadable.length, resend),
    text: renderAuditReport(found),
    json: {
      audit: {
        ...(subject === undefined ? span : { subject, subjects }),
        verdict,
        ...audited,
        missing,
        unreadable,
        resent: resend,
        ...(twice && { twice: duplicatesToJson(twice, found) }),
      },
    },
  };
}

const toExitCode = (missing: number, unreadable: number, resend: boolean): Exit => {
  if (unreadable > 0) return Exit.NEEDS_OPERATOR;
  if (missing === 0) return Exit.OK;
  return resend ? Exit.PENDING : Exit.NEEDS_OPERATOR;
};

const PROGRESS_INTERVAL_MS = 2_000;

const toMissingDelivery = ({ listener, commit, message }: JudgedDelivery, from: Service): MissingDelivery => ({
  at: commit.at,
  service: from.name,
  consumer: listener.name,
  messageId: message.id,
  type: message.type,
  subject: subjectOf(commit.pk),
});

/** @throws {RequestRefused} */
function resolveSpan({ from, to }: AuditRequest, now: string): { readonly from: string; readonly to: string } {
  const ends = to ?? now;
  const begins = typeof from === 'number' ? new Date(Date.parse(now) - from * 1000).toISOString() : (from ?? now);
  if (secondsBetween(begins, ends) < 0)
    throw new RequestRefused(`The span ends (${ends}) before it begins (${begins}).`);
  return { from: begins, to: ends };
}
