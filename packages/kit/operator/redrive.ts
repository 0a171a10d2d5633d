import { REDRIVE } from '../failures/delivery.js';
import { isWindow } from '../inbox/window-keys.js';
import type { CommandContext } from './context.js';
import { Exit, type Next, OperatorError } from './errors.js';
import { statusOf } from './failures.js';
import type { Outcome } from './outcome.js';
import {
  type ConsumerRecord,
  type FoundRecord,
  findRecord,
  hasNoId,
  isOfThisGeneration,
  payloadOf,
  reasonOf,
} from './records.js';
import { publishAgain } from './redrive-relay.js';
import { awaitRecord, sendTo, WAIT_SECONDS } from './send.js';

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
  const { endpoint, documents, services } = context;
  const found = await findRecord(documents, services, request);
  const payload = redrivable(context, found, request);
  const { consumer } = found.listener;
  if (!consumer) return publishAgain(endpoint, documents, found, payload, request.dryRun);
  const value = request.notDone ? 'not-done' : 'again';
  if (request.dryRun) {
    const bytes = Buffer.byteLength(payload);
    return outcome(found, 'dry-run', `would send its ${bytes} bytes to ${consumer.queueUrl}, ${REDRIVE}=${value}`);
  }
  await sendTo(endpoint, consumer.queueUrl, payload, { [REDRIVE]: value });
  return resultOf(context, found);
}

/**
 * Returns the message if it may be sent again.
 * @throws {OperatorError} `refused`
 */
export function redrivable(
  { command, reportOn }: Pick<CommandContext, 'command' | 'reportOn'>,
  found: FoundRecord,
  { notDone }: Pick<RedriveRequest, 'notDone'>,
): string {
  const { listener, record, messageId } = found;
  const discard = ['failures', 'discard', listener.name, messageId, '--reason', '<why>'];
  const refused = (why: string, next: Next = discard) => new OperatorError('refused', `Not redriven: ${why}`, next);
  if (record.status !== 'FAILED') {
    throw refused(`it has not failed; its status is: ${statusOf(record)}.`, ['failures', 'list']);
  }
  const payload = payloadOf(record);
  if (listener.consumer?.inbox?.mode === 'batch' && isWindow(messageId)) {
    throw refused('it is a window of messages.', ['inbox', 'retry', listener.name, messageId]);
  }
  if (payload === undefined) {
    throw refused(`only the beginning of its ${record.payloadBytes ?? 'many'} bytes was kept.`);
  }
  if (!isOfThisGeneration(found)) {
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
  if (hasNoId(found, payload)) {
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

async function resultOf({ documents, command }: CommandContext, found: FoundRecord): Promise<Outcome> {
  const { listener, record, messageId } = found;
  const now = await awaitRecord(documents, listener.service, record.pk, (one) => failedAgain(record, one));
  if (now?.status === 'PROCESSED') return outcome(found, 'processed', `processed ${now.processedAt ?? ''}`.trim());
  if (now) return outcome(found, 'failed-again', `failed again: ${reasonOf(now)}`);
  const look = command('failures', 'show', listener.name, messageId);
  return outcome(found, 'sent', `sent; no result within ${WAIT_SECONDS} s. Check later: ${look}`);
}

/** Whether a redriven message failed again: a new failure puts its reason first. */
const failedAgain = (before: ConsumerRecord, now: ConsumerRecord): boolean =>
  now.failures?.[0]?.at !== before.failures?.[0]?.at;

const EXITS = {
  'dry-run': Exit.OK,
  processed: Exit.OK,
  sent: Exit.PENDING,
  'failed-again': Exit.NEEDS_OPERATOR,
} as const;

function outcome({ listener, messageId }: FoundRecord, result: keyof typeof EXITS, detail: string): Outcome {
  return {
    exitCode: EXITS[result],
    text: `${listener.name} ${messageId}: ${detail}`,
    json: { redrive: { service: listener.service.name, consumer: listener.name, messageId, result, detail } },
  };
}
