import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { newId } from '@orderly/kit/internal/aws/ids.js';
import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import { beforehand } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError, RequestRefused } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { plural } from '../cli/text.js';
import { clientConfig, timeAt } from '../deployment/endpoint.js';
import { listenersNamed, type Service } from '../deployment/services.js';
import { type Send, sendBy, sqsAt, type Wait, waitByClock } from '../records/send.js';
import { failureIdOf, type OpenUnreadable, recordUnreadable } from '../records/unreadable.js';
import { type Audited, auditAggregates, auditSpan, queueBodyOf } from './audit.js';
import { subjectOf } from './expected.js';
import { type JudgedDelivery, reasonOf, type Transports, withoutOwnMessages } from './judge.js';
import { type Missing, textOf, twiceJson, type Unreadable } from './report.js';
import type { AuditRequest } from './request.js';
import { transportsBy } from './transports.js';
import { findTwice, MOST_CHECKED, SeenIds, type TwiceCheck } from './twice.js';
import { verdictOf } from './verdict.js';

/** Access to queues and functions, at an endpoint. */
export interface AuditAccess extends Transports {
  readonly send: Send;
  /** Waits between two messages that are sent again. */
  readonly wait: Wait;
}

/** What an application and the caller add to an audit. */
export interface AuditMore {
  /** Finds what was done twice; an audit of one consumer leaves it out. @default the audit doesn't ask for that */
  readonly check?: TwiceCheck | undefined;
  /** Most ids that are checked. @default 10,000 */
  readonly mostChecked?: number;
  /** Called before each query of the audit; what it throws ends it. @default there is no limit */
  readonly mayGoOn?: () => void;
  /** Whether there is time to check more ids. What was audited stays, whatever it says. @default always */
  readonly hasTime?: () => boolean;
}

/** `audit`. @throws {OperatorError} `not-found` for a consumer that doesn't exist */
export async function runAudit(
  context: CommandContext,
  request: AuditRequest,
  check: TwiceCheck | undefined,
): Promise<Outcome> {
  const { endpoint } = context;
  const config = clientConfig(endpoint);
  const [sqs, lambda, cloudWatch] = [sqsAt(endpoint), new LambdaClient(config), new CloudWatchClient(config)];
  try {
    const transports = transportsBy({ sqs, lambda, cloudWatch }, () => timeAt(endpoint));
    return await audit(context, request, { ...transports, send: sendBy(sqs), wait: waitByClock }, { check });
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
  { check, mostChecked = MOST_CHECKED, mayGoOn, hasTime = () => true }: AuditMore = {},
): Promise<Outcome> {
  const { app, documents, services, command, say } = context;
  const { subject, consumer, graceSeconds, resend, rate } = request;
  if (consumer !== undefined) listenersNamed(services, consumer);
  const span = spanOf(request, access.now());
  const missing: Missing[] = [];
  const unreadable: Unreadable[] = [];
  const actor = resend ? await context.actor() : '';
  const run = newId(Date.parse(access.now()));
  let told = performance.now();
  const transports = withoutOwnMessages(access);
  const ids = consumer === undefined && check ? new SeenIds(check) : undefined;
  const options = {
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
        await beforehand(context, service, {
          actor,
          action: 'resend',
          target,
          reason: reasonOf(delivery),
          run,
        });
        await transports.send(queueUrl, queueBodyOf(delivery, from, app));
      }
      missing.push(missingOf(delivery, from));
    },
    unreadable: async (commit: OpenUnreadable, from: Service): Promise<void> => {
      const isRecorded =
        commit.isRecorded || (resend && (await recordUnreadable(documents, from, commit, access.now())));
      unreadable.push({ service: from.name, commit: failureIdOf(commit), fault: commit.fault, isRecorded });
    },
    ...(mayGoOn && { mayGoOn }),
    ...(ids && { seen: (commits: readonly Commit[]) => ids.add(commits) }),
    progress: ({ name }: Service, { commits }: Audited): void => {
      if (performance.now() - told < TOLD_EVERY_MS) return;
      told = performance.now();
      say(`${name}: ${plural(commits, 'commit')} so far, ${missing.length} missing`);
    },
  };
  const subjects = subject === undefined ? [] : [subject, ...(request.parts ?? [])];
  const audited = subject === undefined ? await auditSpan(span, options) : await auditAggregates(subjects, options);
  if (subject !== undefined && audited.commits + unreadable.length === 0)
    throw new OperatorError('not-found', `No service has a commit of ${subject}.`, ['audit', '--since', '1h']);
  const checking = { context, most: mostChecked, hasTime };
  const twice = check && ids && (await findTwice(check, ids, checking));
  const verdict = verdictOf(audited, { missing: missing.length, unreadable: unreadable.length, consumer, resend });
  const found = { audited, verdict, missing, unreadable, twice, request, span, now: access.now(), command };
  return {
    exitCode: twice && twice.found.length > 0 ? Exit.FAILED : exitOf(missing.length, unreadable.length, resend),
    text: textOf(found),
    json: {
      audit: {
        ...(subject === undefined ? span : { subject, subjects }),
        verdict,
        ...audited,
        missing,
        unreadable,
        resent: resend,
        ...(twice && { twice: twiceJson(twice, found) }),
      },
    },
  };
}

const exitOf = (missing: number, unreadable: number, resend: boolean): Exit => {
  if (unreadable > 0) return Exit.NEEDS_OPERATOR;
  if (missing === 0) return Exit.OK;
  return resend ? Exit.PENDING : Exit.NEEDS_OPERATOR;
};

const TOLD_EVERY_MS = 2_000;

const missingOf = ({ listener, commit, message }: JudgedDelivery, from: Service): Missing => ({
  at: commit.at,
  service: from.name,
  consumer: listener.name,
  messageId: message.id,
  type: message.type,
  subject: subjectOf(commit.pk),
});

/** @throws {RequestRefused} */
function spanOf({ from, to }: AuditRequest, now: string): { readonly from: string; readonly to: string } {
  const ends = to ?? now;
  const begins = typeof from === 'number' ? new Date(Date.parse(now) - from * 1000).toISOString() : (from ?? now);
  if (secondsBetween(begins, ends) < 0)
    throw new RequestRefused(`The span ends (${ends}) before it begins (${begins}).`);
  return { from: begins, to: ends };
}
