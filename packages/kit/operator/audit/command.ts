import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { secondsBetween } from '../../aws/clock.js';
import { newId } from '../../aws/ids.js';
import { beforehand } from '../audit-log.js';
import type { CommandContext } from '../context.js';
import { clientConfig, timeAt } from '../endpoint.js';
import { Exit, OperatorError, RequestRefused } from '../errors.js';
import type { Outcome } from '../outcome.js';
import { type Send, sendBy, sqsAt, type Wait, waitByClock } from '../send.js';
import { listenersNamed, type Service } from '../services.js';
import { shownTime } from '../shown.js';
import { table } from '../table.js';
import { aligned, type CommandText, plural } from '../text.js';
import { type Audited, auditAggregates, auditSpan, queueBodyOf } from './audit.js';
import { subjectOf } from './expected.js';
import { type JudgedDelivery, reasonOf, STATES, type Transports, withoutOwnMessages } from './judge.js';
import { transportsBy } from './transports.js';

/** Request of an operator. */
export interface AuditRequest {
  /** Seconds back from now, or a time in ISO 8601; absent for one aggregate. */
  readonly from: string | number | undefined;
  /** @default now */
  readonly to: string | undefined;
  /** Only this aggregate: `Order/3f…`. */
  readonly subject: string | undefined;
  /** Aggregates that are audited together with it. @default none */
  readonly parts?: readonly string[];
  /** Option that named the aggregate, and its value. @default `--subject` */
  readonly named?: readonly [option: string, id: string];
  /** Only this consumer. */
  readonly consumer: string | undefined;
  readonly graceSeconds: number;
  /** Whether missing deliveries are sent again, each to its consumer's queue only. */
  readonly resend: boolean;
  /** Messages that are sent again in a second. */
  readonly rate: number;
}

/** Missing deliveries that the text lists; `--json` lists all. */
const LISTED = 20;

/** Access to queues and functions, at an endpoint. */
export interface AuditAccess extends Transports {
  readonly send: Send;
  /** Waits between two messages that are sent again. */
  readonly wait: Wait;
}

/** `audit`. @throws {OperatorError} `not-found` for a consumer that doesn't exist */
export async function runAudit(context: CommandContext, request: AuditRequest): Promise<Outcome> {
  const { endpoint } = context;
  const config = clientConfig(endpoint);
  const [sqs, lambda, cloudWatch] = [sqsAt(endpoint), new LambdaClient(config), new CloudWatchClient(config)];
  try {
    const transports = transportsBy({ sqs, lambda, cloudWatch }, () => timeAt(endpoint));
    return await audit(context, request, { ...transports, send: sendBy(sqs), wait: waitByClock });
  } finally {
    for (const client of [sqs, lambda, cloudWatch]) client.destroy();
  }
}

/**
 * The command, with its access to queues and functions.
 * @param mayGoOn called before each query; what it throws ends the audit. @default there is no limit
 * @throws {OperatorError} `not-found`, or `refused` for an empty span
 */
export async function audit(
  context: Pick<CommandContext, 'app' | 'documents' | 'services' | 'command' | 'say' | 'actor'>,
  request: AuditRequest,
  access: AuditAccess,
  mayGoOn?: () => void,
): Promise<Outcome> {
  const { app, documents, services, command, say } = context;
  const { subject, consumer, graceSeconds, resend, rate } = request;
  if (consumer !== undefined) listenersNamed(services, consumer);
  const span = spanOf(request, access.now());
  const missing: Missing[] = [];
  const actor = resend ? await context.actor() : '';
  const run = newId();
  let told = performance.now();
  const transports = withoutOwnMessages(access);
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
        await beforehand(documents, service, {
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
    ...(mayGoOn && { mayGoOn }),
    progress: ({ name }: Service, { commits }: Audited): void => {
      if (performance.now() - told < TOLD_EVERY_MS) return;
      told = performance.now();
      say(`${name}: ${plural(commits, 'commit')} so far, ${missing.length} missing`);
    },
  };
  const subjects = subject === undefined ? [] : [subject, ...(request.parts ?? [])];
  const audited = subject === undefined ? await auditSpan(span, options) : await auditAggregates(subjects, options);
  if (subject !== undefined && audited.commits === 0)
    throw new OperatorError('not-found', `No service has a commit of ${subject}.`, ['audit', '--since', '1h']);
  return {
    exitCode: missing.length === 0 ? Exit.OK : resend ? Exit.PENDING : Exit.NEEDS_OPERATOR,
    text: textOf({ audited, missing, request, span, command }),
    json: { audit: { ...(subject === undefined ? span : { subject, subjects }), ...audited, missing, resent: resend } },
  };
}

const TOLD_EVERY_MS = 2_000;

interface Missing {
  readonly at: string;
  readonly service: string;
  readonly consumer: string;
  readonly messageId: string;
  readonly type: string;
  readonly subject: string;
}

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

interface Found {
  readonly audited: Audited;
  readonly missing: readonly Missing[];
  readonly request: AuditRequest;
  readonly span: { readonly from: string; readonly to: string };
  readonly command: CommandText;
}

const HEAD = ['SENT AT', 'CONSUMER', 'TYPE', 'SUBJECT', 'MESSAGE ID'] as const;

function textOf({ audited, missing, request, span, command }: Found): string {
  const { subject, parts = [], named, consumer, resend } = request;
  const { commits, messages, deliveries } = audited;
  const types = parts.map((part) => part.slice(0, part.indexOf('/')));
  const aggregates = types.length > 0 ? `${subject} with its ${types.join(', ')}` : subject;
  const what = aggregates ?? `${span.from} to ${span.to}`;
  const verdict =
    missing.length === 0
      ? 'nothing is missing'
      : `${plural(missing.length, 'delivery is', 'deliveries are')} missing${resend ? ', and sent again' : ''}`;
  const states = STATES.filter((state) => deliveries[state] > 0).map((state) => [state, String(deliveries[state])]);
  const rows = missing
    .slice(0, LISTED)
    .map((one) => [shownTime(one.at), one.consumer, one.type, one.subject, one.messageId]);
  const more = missing.length - rows.length;
  const same = [
    ...(subject === undefined ? ['--from', span.from, '--to', span.to] : (named ?? ['--subject', subject])),
    ...(consumer === undefined ? [] : ['--consumer', consumer]),
  ];
  return [
    `${verdict}: ${what}`,
    `${plural(messages, 'message')} in ${plural(commits, 'commit')}`,
    ...(states.length > 0 ? ['', aligned(states, '  ')] : []),
    ...(rows.length > 0 ? ['', table(HEAD, rows, ['TYPE', 'SUBJECT', 'CONSUMER'])] : []),
    ...(more > 0 ? [`and ${more} more (--json lists all)`] : []),
    ...nextOf(audited, missing, resend, (...words) => command('audit', ...same, ...words), command),
  ].join('\n');
}

function nextOf(
  { deliveries }: Audited,
  missing: readonly Missing[],
  resend: boolean,
  again: (...words: readonly string[]) => string,
  command: CommandText,
): readonly string[] {
  const next = [
    ...(missing.length > 0 ? [resend ? `look again: ${again()}` : `send them again: ${again('--resend')}`] : []),
    ...(deliveries.failed > 0 ? [`what has failed: ${command('failures', 'list')}`] : []),
  ];
  return next.length > 0 ? ['', ...next] : [];
}
