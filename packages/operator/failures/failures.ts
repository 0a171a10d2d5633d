import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { type ListColumns, renderList } from '../cli/table.js';
import { alignColumns, type CommandFormatter, pluralize } from '../cli/text-format.js';
import { findListeners, listListeners } from '../deployment/services.js';
import { mapToSources } from '../deployment/source-maps.js';
import { sharedCauseHash } from '../groups/cause.js';
import { type CauseNote, describeNote, readCauseNotes } from '../groups/cause-notes.js';
import { toSharedCause } from '../groups/failures.js';
import {
  describeReason,
  type FoundRecord,
  findRecord,
  isRedrivable,
  listFailureRecords,
  type NewestFailuresQuery,
  readPayload,
} from '../records/consumer-records.js';
import { formatTime, idFormatter } from '../records/list-format.js';
import { type DisplayedReason, describeSealedText, unsealReasons } from '../records/sealed-texts.js';

type Context = Pick<CommandContext, 'documents' | 'services' | 'command' | 'pageOn'> &
  Partial<Pick<CommandContext, 'app' | 'stacks' | 'environment' | 'endpoint'>>;

interface FailuresListRequest extends NewestFailuresQuery {
  readonly consumer: string | undefined;
}

/**
 * `failures list`: the newest failures, and as many more as failed in the same millisecond as the last of them, so that
 * `before` that time leaves none out.
 * @throws {OperatorError} `not-found` for a consumer that doesn't exist
 */
export async function listFailures(
  { documents, services, command, clock }: Context & Pick<CommandContext, 'clock'>,
  asked: FailuresListRequest,
): Promise<Outcome> {
  const { consumer, limit } = asked;
  const listeners = consumer === undefined ? listListeners(services) : findListeners(services, consumer);
  const found = (await Promise.all(listeners.map((listener) => listFailureRecords(documents, listener, asked)))).flat();
  const newestFirst = found.toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)));
  const last = newestFirst[Math.min(limit, newestFirst.length) - 1];
  const failures = newestFirst.filter((one) => last !== undefined && timeOf(one) >= timeOf(last));
  const older = last && failures.length < newestFirst.length ? timeOf(last) : undefined;
  return {
    exitCode: Exit.OK,
    text: renderFailures(failures, older, { command, asked, now: clock.now() }),
    json: {
      failures: failures.map((one) => failureToJson(one)),
      ...(older !== undefined && { olderBefore: older }),
    },
  };
}

const timeOf = ({ record }: FoundRecord): string => record.failedAt ?? '';

const COLUMNS: ListColumns = {
  head: ['FAILED AT', 'CONSUMER', 'MESSAGE ID', 'TYPE', 'SUBJECT', 'REASON'],
  cut: ['REASON', 'TYPE', 'SUBJECT'],
  below: ['TYPE', 'SUBJECT', 'REASON'],
};

/** @param older time before which there are more */
function renderFailures(
  failures: readonly FoundRecord[],
  older: string | undefined,
  {
    command,
    asked,
    now,
  }: { readonly command: CommandFormatter; readonly asked: FailuresListRequest; readonly now: string },
): string {
  const { consumer, before } = asked;
  const [newest] = failures;
  if (!newest) return before === undefined ? 'no failures' : `no failures before ${before}`;
  const idOf = idFormatter(failures);
  const rows = failures.map((failure) => [
    formatTime(failure.record.failedAt ?? '', now),
    `${failure.listener.service.name}/${failure.listener.name}`,
    idOf(failure),
    failure.record.type ?? '-',
    failure.record.subject ?? '-',
    describeReason(failure.record),
  ]);
  const next = command('failures', 'show', newest.listener.name, idOf(newest));
  const ofOne = consumer === undefined ? [] : ['--consumer', consumer];
  const more =
    older === undefined ? '' : `\nthere are older ones: ${command('failures', 'list', ...ofOne, '--before', older)}`;
  const shown = renderList(COLUMNS, rows);
  return `${shown}\n\n${pluralize(failures.length, 'failure')}; the newest: ${next}${more}`;
}

/** `failures show`. It opens texts that are sealed, if the operator may. @throws {OperatorError} `not-found` */
export async function showFailure(
  context: Context,
  asked: { readonly consumer: string; readonly messageId: string; readonly payload: boolean },
): Promise<Outcome> {
  const found = await findRecord(context.documents, context.services, asked);
  return showRecord(context, found, asked, await findNoted(context, found));
}

/** Cause of a failure across consumers, and what operators have noted of it. */
interface NotedCause {
  readonly id: string;
  readonly note: CauseNote | undefined;
}

/** @returns `undefined` of what has not failed */
async function findNoted({ app, documents, services }: Context, found: FoundRecord): Promise<NotedCause | undefined> {
  if (app === undefined || found.record.status !== 'FAILED') return undefined;
  const id = sharedCauseHash(toSharedCause(found, app));
  return { id, note: (await readCauseNotes(documents, services)).get(id)?.note };
}

/** Shows a record that was found. @param cause shown behind it. @default it is not said */
export async function showRecord(
  context: Omit<Context, 'services'>,
  found: FoundRecord,
  asked: { readonly payload: boolean },
  cause?: NotedCause,
): Promise<Outcome> {
  const reasons = await unsealReasons(context, found);
  const payload = asked.payload ? (readPayload(found.record) ?? found.record.payloadBegin ?? null) : undefined;
  return {
    exitCode: Exit.OK,
    text: [
      renderFailure(found, reasons),
      ...(payload ? ['', 'message:', payload] : []),
      '',
      adviceOn(found, context),
      ...(cause ? [renderCause(cause, context)] : []),
    ].join('\n'),
    json: {
      failure: {
        ...failureToJson(found),
        failures: reasons,
        ...(cause && { cause: cause.id, ...(cause.note && { note: cause.note }) }),
        ...(payload !== undefined && { payload }),
      },
    },
  };
}

function renderCause({ id, note }: NotedCause, { command }: Pick<Context, 'command'>): string {
  const noted = note === undefined ? '' : ` (${describeNote(note)})`;
  return `cause ${id.slice(0, 7)}${noted}: ${command('failures', 'causes')}`;
}

/** Returns the fields of a record for scripts; it contains nothing of the message itself. */
function failureToJson({ listener, record, messageId }: FoundRecord) {
  const { status, executeAt, failedAt, processedAt, type, subject, correlationId, attempts, unknown } = record;
  const { discardedAt, discardedBy, discardReason, repeated, repeats } = record;
  return {
    service: listener.service.name,
    consumer: listener.name,
    messageId,
    status,
    ...(record.failures && { reason: describeReason(record) }),
    unknown: unknown ?? false,
    redrivable: isRedrivable({ listener, record, messageId }),
    // A finished record has no meaningful time.
    ...(status === 'PENDING' && { executeAt }),
    failedAt,
    processedAt,
    type,
    subject,
    correlationId,
    attempts,
    discardedAt,
    discardedBy,
    discardReason,
    repeated,
    repeats,
  };
}

function renderFailure({ listener, record, messageId }: FoundRecord, shown: readonly DisplayedReason[]): string {
  const { status, type, subject, correlationId, failedAt, attempts, repeated, unknown } = record;
  const payload = readPayload(record);
  const rows = [
    ['consumer', `${listener.service.name}/${listener.name}`],
    ['message', messageId],
    ['status', describeStatus(record)],
    ...(type === undefined ? [] : [['type', type]]),
    ...(subject === undefined ? [] : [['subject', subject]]),
    ...(correlationId === undefined ? [] : [['correlation', correlationId]]),
    ...(failedAt === undefined ? [] : [['failed', failedAt]]),
    ...(attempts === undefined ? [] : [['deliveries', String(attempts)]]),
    ...(repeated === undefined ? [] : [['repeated', `${pluralize(repeated, 'more command')} of its step failed`]]),
    ...(unknown
      ? [['unknown', 'it may have been processed before: make sure that it was not before you redrive it']]
      : []),
    ...(status === 'PROCESSED' || status === 'REPEATED' ? [] : [['payload', describeSize(payload, record)]]),
  ];
  const reasons = shown.flatMap(({ at, name, message, stack, sealedText }) => [
    `  ${at}  ${[name, message].filter((part) => part !== '').join(': ')}`,
    ...(sealedText ? [`      text: ${describeSealedText(sealedText)}`] : []),
    ...mapToSources(stack.slice(0, 3)).map((line) => `      ${line}`),
  ]);
  return [alignColumns(rows), ...(reasons.length > 0 ? ['', 'reasons, newest first:', ...reasons] : [])].join('\n');
}

/** Returns the final status of a record, or that it is not final. */
export function describeStatus({
  status,
  executeAt,
  processedAt,
  discardedAt,
  discardedBy,
  discardReason,
  repeats,
}: FoundRecord['record']): string {
  if (status === 'REPEATED') return `failed again, as ${repeats}, whose record stands for it`;
  if (status === 'PROCESSED') return `processed ${processedAt ?? ''}`.trim();
  if (status === 'PENDING') return `stored, to be sent ${executeAt ?? ''}`.trim();
  return status === 'DISCARDED' ? `discarded ${discardedAt} by ${discardedBy}: ${discardReason}` : 'failed';
}

function describeSize(payload: string | undefined, { payloadBytes }: FoundRecord['record']): string {
  if (payload !== undefined) return `${Buffer.byteLength(payload)} bytes (--payload shows it)`;
  return `only the beginning of its ${payloadBytes ?? '?'} bytes was kept`;
}

function adviceOn(
  { listener, record, messageId }: FoundRecord,
  { command, pageOn }: Pick<Context, 'command' | 'pageOn'>,
): string {
  if (record.status === 'REPEATED')
    return `look there: ${command('failures', 'show', listener.name, record.repeats ?? '')}`;
  if (record.status !== 'FAILED') return 'nothing to do here';
  const one = [listener.name, messageId] as const;
  const discard = `discard: ${command('failures', 'discard', ...one, '--reason', '<why>')}`;
  const [newest] = record.failures ?? [];
  const page = newest && pageOn?.({ what: 'failure', consumer: listener.name, error: newest.name });
  const first = page === undefined ? '' : `first, what to do about it: ${page}\n`;
  if (!isRedrivable({ listener, record, messageId })) return first + discard;
  const redrive = command('failures', 'redrive', ...one, ...(record.unknown ? ['--not-done'] : []));
  return `${first}redrive: ${redrive}${record.unknown ? '   (after you have made sure)' : ''}\n${discard}`;
}
