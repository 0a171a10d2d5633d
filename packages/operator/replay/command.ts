import type { CommandContext } from '../cli/context.js';
import { type Next, OperatorError } from '../cli/errors.js';
import { interruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { plural } from '../cli/text.js';
import { type Endpoint, timeAt } from '../deployment/endpoint.js';
import { sendBy, sqsAt } from '../records/send.js';
import { backlogOf, readQueue } from '../status/queues.js';
import { type Estimate, estimated, type Reading } from './estimate.js';
import { continueWords, type FixedRequest, fixed, type ReplayRequest, whatOf } from './request.js';
import { type ReplayAccess, type ReplayContext, ReplayRun } from './run.js';
import { type Target, targetNamed } from './target.js';
import { continueWith, dryRun, estimateText, nothingToSend, reported } from './words.js';

/** `replay`. @throws {OperatorError} as {@link replay} */
export async function runReplay(context: CommandContext, request: ReplayRequest): Promise<Outcome> {
  const sqs = sqsAt(context.endpoint);
  try {
    return await interruptible((interruption) =>
      replay({ ...context, ...interruption }, request, accessAt(context.endpoint, sqs)),
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
  const target = await targetNamed(services, asked.consumer, (queueUrl) => access.createdAt(queueUrl));
  const request = fixed(asked, access.now());
  refuseGeneration(target, request);
  const reading: Reading = { documents, services, target, selection: request.selection, now: () => access.now() };
  const estimate = await estimated(reading);
  refuseUnheard(estimate, request);
  refuseTooOld(context, target, request, estimate);
  const about = { target, request, estimate, command };
  if (request.dryRun) return dryRun(about);
  if (estimate.toSend === 0) return nothingToSend(about);
  say(estimateText(about));
  const messages = plural(estimate.toSend, 'message');
  await context.confirm?.(`replay of ${messages} to ${request.consumer} in ${context.place ?? 'this environment'}`);
  const actor = await context.actor();
  const run = new ReplayRun(context, access, { reading, estimate, rate: request.rate, actor, what: whatOf(request) });
  try {
    return reported(about, await run.run());
  } catch (error) {
    say(`${request.consumer}: ended by an error; to continue: ${continueWith(about, run.reached)}`);
    throw error;
  }
}

/** @throws {OperatorError} `refused` unless --again and the generation fit */
function refuseGeneration({ consumer: { name, generation }, service }: Target, request: FixedRequest): void {
  const words = continueWords(request);
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

/** @throws {OperatorError} `not-found`, or `refused` if the consumer hears nothing of what was named */
function refuseUnheard({ commits, unreadable, messages }: Estimate, { selection, consumer }: FixedRequest): void {
  if (selection.kind === 'span' || messages + unreadable > 0) return;
  const what = selection.kind === 'aggregate' ? selection.subject : `event ${selection.id}`;
  if (commits > 0) throw new OperatorError('refused', `Not replayed: '${consumer}' doesn't hear ${what}.`);
  throw new OperatorError('not-found', `No service that '${consumer}' hears has a commit of ${what}.`, [
    'audit',
    '--since',
    '1h',
  ]);
}

/** @throws {OperatorError} `refused` if the consumer may have processed a message without knowing it any more */
function refuseTooOld(
  { reportOn }: Pick<Context, 'reportOn'>,
  { consumer, since, doubt }: Target,
  request: FixedRequest,
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
  const next = (): Next => {
    if (selection.kind === 'span' && safeFrom !== undefined)
      return continueWords({ ...request, selection: { ...selection, from: safeFrom } });
    const report = selection.kind === 'aggregate' ? reportOn?.(selection.subject) : undefined;
    return report ?? ['failures', 'list', '--consumer', name];
  };
  throw new OperatorError(
    'refused',
    `Not replayed: ${plural(tooOld, 'message is', 'messages are')} so old, of ${messages}, that the record may have expired: '${name}' may have processed such a message, and would do it again. ${why} ${purpose}`,
    next(),
  );
}

/** Asks and sends at an endpoint. */
const accessAt = (endpoint: Endpoint, sqs: Parameters<typeof readQueue>[0]): ReplayAccess => ({
  now: () => timeAt(endpoint),
  messagesIn: (queueUrl) => backlogOf(sqs, queueUrl),
  createdAt: async (queueUrl) => (await readQueue(sqs, queueUrl))[0]?.createdAt,
  send: sendBy(sqs),
});
