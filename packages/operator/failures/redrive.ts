import { REDRIVE } from '@orderly/kit/internal/failures/delivery.js';
import { isWindowMessageId } from '@orderly/kit/internal/inbox/window-keys.js';
import { type AuditKey, appendAuditEntry, type Run, recordResult } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, type NextCommand, OperatorError } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import {
  type ConsumerRecord,
  describeReason,
  type FoundRecord,
  failedAgain,
  findRecord,
  isCurrentGeneration,
  lacksId,
  readPayload,
} from '../records/consumer-records.js';
import { LOCATION_RULES, locateRecord } from '../records/message-locations.js';
import { MAX_WAIT_SECONDS, pollRecord, type SendMessage, withSender } from '../records/message-sender.js';
import { describeStatus } from './failures.js';
import {
  createRelayInvoker,
  type InvokeRelay,
  parseStreamRecord,
  type RedriveResult,
  redriveThroughRelay,
} from './redrive-relay.js';

export interface RedriveRequest {
  readonly consumer: string;
  readonly messageId: string;
  /** Whether the operator has made sure that the effect did not happen before. */
  readonly notDone: boolean;
  readonly dryRun: boolean;
}

/**
 * `failures redrive`: sends a failed message to its consumer's queue again, or a commit through its relay
 * again. Whatever happens on the way, the failure stays recorded until it is processed.
 * @throws {OperatorError} `not-found`, or `refused` with the reason why it can't or mustn't be redriven
 */
export async function redrive(context: CommandContext, request: RedriveRequest): Promise<Outcome> {
  const { endpoint, documents, clock, services } = context;
  const found = await findRecord(documents, services, request);
  const payload = requireRedrivable(context, found, request);
  const { consumer, service } = found.listener;
  const value = request.notDone ? 'not-done' : 'again';
  if (request.dryRun) {
    if (!consumer) parseStreamRecord(found, payload);
    const bytes = Buffer.byteLength(payload);
    const detail = consumer
      ? `would send its ${bytes} bytes to ${consumer.queueUrl}, ${REDRIVE}=${value}`
      : `would invoke ${service.relay} with the commit`;
    return outcome(found, { result: 'dry-run', detail });
  }
  const actor = await context.actor();
  return withSender(endpoint, async (send) => {
    const ways = { documents, clock, send, invoke: createRelayInvoker(endpoint) };
    const { key, done } = await resendFailure(ways, found, payload, { actor, value });
    const redriven = done ?? (await awaitResult(context, found));
    await recordResult(documents, key, RESULT_WORDS[redriven.result]);
    return outcome(found, redriven);
  });
}

/** How messages leave a command. */
export interface RedriveAccess extends Pick<CommandContext, 'documents' | 'clock'> {
  readonly send: SendMessage;
  readonly invoke: InvokeRelay;
}

/**
 * Writes into the audit log that a message is redriven, and sends it.
 * @param payload of {@link requireRedrivable}
 * @param by who does it, and in which run; `value` is `not-done` if the operator has made sure of that, else `again`
 * @returns key of the entry; `done` if the result is known already, because the message is a commit
 * @throws {OperatorError} `refused` if its relay failed
 */
export async function resendFailure(
  ways: RedriveAccess,
  found: FoundRecord,
  payload: string,
  { actor, value, run }: { readonly actor: string; readonly value: 'again' | 'not-done'; readonly run?: Run },
): Promise<{ readonly key: AuditKey; readonly done?: RedriveResult }> {
  const { send, invoke } = ways;
  const { consumer, service, name } = found.listener;
  const change = consumer ? undefined : parseStreamRecord(found, payload);
  const action = { actor, action: 'redrive', target: `${name} ${found.messageId}`, ...run } as const;
  const key = await appendAuditEntry(ways, service, action);
  if (change) return { key, done: await redriveThroughRelay(invoke, ways, found, change) };
  if (consumer) await send(consumer.queueUrl, payload, { [REDRIVE]: value });
  return { key };
}

/** Results as the audit log has them. */
export const RESULT_WORDS = {
  'dry-run': 'nothing was done',
  processed: 'processed',
  sent: 'sent',
  'failed-again': 'failed again',
} as const satisfies Record<RedriveResult['result'], string>;

/**
 * Returns the message if it may be sent again.
 * @throws {OperatorError} `refused`
 */
export function requireRedrivable(
  { command, reportOn }: Pick<CommandContext, 'command' | 'reportOn'>,
  found: FoundRecord,
  { notDone }: Pick<RedriveRequest, 'notDone'>,
): string {
  const { listener, record, messageId } = found;
  const discard = ['failures', 'discard', listener.name, messageId, '--reason', '<why>'];
  const refused = (why: string, next: NextCommand = discard) =>
    new OperatorError('refused', `Not redriven: ${why}`, next);
  const { mayRedrive, words } = LOCATION_RULES[locateRecord(record, listener)];
  if (!mayRedrive) throw refused(`${words}; its status is: ${describeStatus(record)}.`, ['failures', 'list']);
  const payload = readPayload(record);
  if (listener.consumer?.inbox?.mode === 'batch' && isWindowMessageId(messageId)) {
    throw refused('it is a window of messages.', ['inbox', 'retry', listener.name, messageId]);
  }
  if (payload === undefined) {
    throw refused(`only the beginning of its ${record.payloadBytes ?? 'many'} bytes was kept.`);
  }
  if (!isCurrentGeneration(found)) {
    throw refused(`it failed in another generation of '${listener.name}'; the current one is ${listener.generation}.`);
  }
  if (!listener.consumer) {
    if (!notDone) return payload;
    throw refused('--not-done is for consumers only; consumers recognise what a relay sends twice.', [
      'failures',
      'redrive',
      listener.name,
      messageId,
    ]);
  }
  if (lacksId(found, payload)) {
    throw refused('it has no id that a consumer could read. Fix its sender, and discard this failure.');
  }
  if (record.unknown && !notDone) {
    const report = record.subject === undefined ? undefined : reportOn?.(record.subject);
    const look = report === undefined ? '' : ` (${command(...report)})`;
    throw refused(
      `its processed record may have expired, so it may have been processed before. Find out first${look}; if it was not:`,
      ['failures', 'redrive', listener.name, messageId, '--not-done'],
    );
  }
  return payload;
}

async function awaitResult({ documents, command, pageOn }: CommandContext, found: FoundRecord): Promise<RedriveResult> {
  const { listener, record, messageId } = found;
  const now = await pollRecord(documents, listener.service, record.pk, (one) => failedAgain(record, one));
  if (now?.status === 'PROCESSED') {
    return { result: 'processed', detail: `processed ${now.processedAt ?? ''}`.trim() };
  }
  if (now) return { result: 'failed-again', detail: describeFailedAgain(listener.name, now, pageOn) };
  const look = command('failures', 'show', listener.name, messageId);
  return { result: 'sent', detail: `sent; no result within ${MAX_WAIT_SECONDS} s. Check later: ${look}` };
}

/** Says why a redriven message failed again, and where to read what to do about it. */
export function describeFailedAgain(consumer: string, now: ConsumerRecord, pageOn: CommandContext['pageOn']): string {
  const page = pageOn?.({ what: 'failure', consumer, error: now.failures?.[0]?.name ?? '' });
  return `failed again: ${describeReason(now)}${page === undefined ? '' : `. What to do: ${page}`}`;
}

const EXITS = {
  'dry-run': Exit.OK,
  processed: Exit.OK,
  sent: Exit.PENDING,
  'failed-again': Exit.NEEDS_OPERATOR,
} as const;

function outcome({ listener, messageId }: FoundRecord, { result, detail }: RedriveResult): Outcome {
  return {
    exitCode: EXITS[result],
    text: `${listener.name} ${messageId}: ${detail}`,
    json: { redrive: { service: listener.service.name, consumer: listener.name, messageId, result, detail } },
  };
}
