import type { CommandContext } from '../cli/context.js';
import { type NextCommand, OperatorError } from '../cli/errors.js';
import { runInterruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { pluralize } from '../cli/text-format.js';
import { currentTime, type Endpoint } from '../deployment/endpoint.js';
import { createSender, createSqsClient } from '../records/message-sender.js';
import { readBacklog, readQueue } from '../status/queues.js';
import { type Estimate, estimateReplay, type ReplayReading } from './estimate.js';
import { type ReplayAccess, type ReplayContext, ReplayRun } from './replay-run.js';
import { continueCommand, nothingToSendOutcome, previewOutcome, renderEstimate, replayOutcome } from './replay-text.js';
import { describeSelection, type ReplayRequest, type ResolvedRequest, repeatWords, resolveRequest } from './request.js';
import { findTarget, type ReplayTarget } from './target.js';

/** `replay`. @throws {OperatorError} as {@link replay} */
export async function runReplay(context: CommandContext, request: ReplayRequest): Promise<Outcome> {
  const sqs = createSqsClient(context.endpoint);
  try {
    return await runInterruptible((interruption) =>
      replay({ ...context, ...interruption }, request, createReplayAccess(context.endpoint, sqs)),
    );
  } finally {
    sqs.destroy();
  }
}

type Context = ReplayContext & Pick<CommandContext, 'command' | 'actor' | 'place' | 'confirm' | 'reportOn'>;

/**
 * The command, with its access to queues: an estimate, and then the replay.
 * @throws {OperatorError} `not-found` for a consumer or an aggregate that doesn't exist; `refused` if a message may have its
 *   effect for the second time, or if nobody confirms it
 */
export async function replay(context: Context, asked: ReplayRequest, access: ReplayAccess): Promise<Outcome> {
  const { documents, services, command, say } = context;
  const target = await findTarget(services, asked.consumer, (queueUrl) => access.createdAt(queueUrl));
  const request = resolveRequest(asked, access.now());
  refuseGeneration(target, request);
  const reading: ReplayReading = { documents, services, target, selection: request.selection, now: () => access.now() };
  const estimate = await estimateReplay(reading);
  refuseUnheard(estimate, request);
  refuseTooOld(context, target, request, estimate);
  const about = { target, request, estimate, command };
  if (request.dryRun) return previewOutcome(about);
  if (estimate.toSend === 0) return nothingToSendOutcome(about);
  say(renderEstimate(about));
  const messages = pluralize(estimate.toSend, 'message');
  await context.confirm?.(`replay of ${messages} to ${request.consumer} in ${context.place ?? 'this environment'}`);
  const actor = await context.actor();
  const run = new ReplayRun(context, access, {
    reading,
    estimate,
    rate: request.rate,
    actor,
    what: describeSelection(request),
  });
  try {
    return replayOutcome(about, await run.run());
  } catch (error) {
    say(`${request.consumer}: ended by an error; to continue: ${continueCommand(about, run.reached)}`);
    throw error;
  }
}

/** @throws {OperatorError} `refused` unless --again and the generation fit */
function refuseGeneration({ consumer: { name, generation }, service }: ReplayTarget, request: ResolvedRequest): void {
  const words = repeatWords(request);
  if (generation === 0 && request.again) {
    throw new OperatorError(
      'refused',
      `Not replayed again: '${name}' has generation 0, and recognises what it has processed. To process it again, on purpose: set \`generation: 1\` and \`since: '<today>'\` of '${name}' in the stack of ${service.name}, deploy it, and repeat this command. Every effect that the aggregate itself doesn't guard then happens for the second time.`,
      words,
    );
  }
  if (generation > 0 && !request.again) {
    throw new OperatorError(
      'refused',
      `Not replayed: '${name}' has generation ${generation}, which doesn't recognise what an earlier generation processed. Its effects would happen again. If that is the purpose:`,
      [...words, '--again'],
    );
  }
}

/** @throws {OperatorError} `not-found`, or `refused` if the consumer subscribes to nothing of what was named */
function refuseUnheard({ commits, unreadable, messages }: Estimate, { selection, consumer }: ResolvedRequest): void {
  if (selection.kind === 'span' || messages + unreadable > 0) return;
  const what = selection.kind === 'aggregate' ? selection.subject : `event ${selection.id}`;
  if (commits > 0) throw new OperatorError('refused', `Not replayed: '${consumer}' doesn't hear ${what}.`);
  throw new OperatorError('not-found', `No service that '${consumer}' receives has a commit of ${what}.`, [
    'audit',
    '--since',
    '1h',
  ]);
}

/** @throws {OperatorError} `refused` if the consumer may have processed a message without knowing it any more */
function refuseTooOld(
  { reportOn }: Pick<Context, 'reportOn'>,
  { consumer, since, doubt }: ReplayTarget,
  request: ResolvedRequest,
  { tooOld, messages, safeFrom }: Estimate,
): void {
  if (tooOld === 0) return;
  const { name, generation } = consumer;
  const { selection } = request;
  const why =
    doubt ??
    (since === undefined
      ? `Only a consumer whose stack says \`since\` (its first deployment) takes older events, for as long as its first records exist.`
      : `It is deployed since ${since}, so its first records have expired, or these are commands.`);
  const purpose = `To process them on purpose, raise its generation to ${generation + 1}, with \`since\`, and add --again.`;
  const next = (): NextCommand => {
    if (selection.kind === 'span' && safeFrom !== undefined)
      return repeatWords({ ...request, selection: { ...selection, from: safeFrom } });
    const report = selection.kind === 'aggregate' ? reportOn?.(selection.subject) : undefined;
    return report ?? ['failures', 'list', '--consumer', name];
  };
  throw new OperatorError(
    'refused',
    `Not replayed: ${pluralize(tooOld, 'message is', 'messages are')} so old, of ${messages}, that the record may have expired: '${name}' may have processed such a message, and would do it again. ${why} ${purpose}`,
    next(),
  );
}

/** Asks and sends at an endpoint. */
const createReplayAccess = (endpoint: Endpoint, sqs: Parameters<typeof readQueue>[0]): ReplayAccess => ({
  now: () => currentTime(endpoint),
  messagesIn: (queueUrl) => readBacklog(sqs, queueUrl),
  createdAt: async (queueUrl) => (await readQueue(sqs, queueUrl))[0]?.createdAt,
  send: createSender(sqs),
});
