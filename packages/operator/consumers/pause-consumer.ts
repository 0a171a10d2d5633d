import { LambdaClient } from '@aws-sdk/client-lambda';
import type { ConsumerDescription } from '@orderly/kit/internal/base/outputs.js';
import { appendAuditEntry, recordResult } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { formatDuration, pluralize } from '../cli/text-format.js';
import { clientConfig } from '../deployment/endpoint.js';
import type { Service } from '../deployment/services.js';
import { createSqsClient } from '../records/message-sender.js';
import { isOff, type QueueMapping, readMappings, switchMappings, type WaitingMessages } from './mappings.js';
import { forgetPause, notePause, readPauses } from './pauses.js';

type Context = Pick<CommandContext, 'endpoint' | 'documents' | 'services' | 'clock' | 'actor' | 'command'>;

/** A consumer that a command names, as it is now. */
interface Found {
  readonly service: Service;
  readonly consumer: ConsumerDescription;
  readonly mappings: readonly QueueMapping[];
  readonly waiting: WaitingMessages;
}

/**
 * `consumers pause`: switches the event source mappings of a consumer's queues off. Its messages wait there, and nothing counts as an attempt.
 * The pause is noted before, so that whoever finds the mapping switched off finds out why.
 * @throws {OperatorError} `not-found` for a consumer that does not exist
 */
export const pauseConsumer = (
  context: Context,
  { consumer: name, reason }: { readonly consumer: string; readonly reason: string },
): Promise<Outcome> =>
  withConsumer(context, name, async (lambda, { service, consumer, mappings, waiting }) => {
    const { documents, clock, command } = context;
    const by = await context.actor();
    const since = clock.now();
    const ids = mappings.map(({ id }) => id);
    const isNew = await notePause(documents, service, { consumer: name, since, by, reason, mappings: ids });
    const known = (await readPauses(documents, service)).get(name);
    const key = await appendAuditEntry(context, service, { actor: by, action: 'pause', target: name, reason });
    await switchMappings(lambda, mappings, false);
    await recordResult(documents, key, isNew ? 'paused' : 'was paused already');
    const kept = formatDuration(waiting.keptForSeconds);
    const words = isNew ? `paused by ${by}: ${reason}` : `was paused already, by ${known?.by}: ${known?.reason}`;
    return {
      exitCode: Exit.OK,
      text: [
        `${name}: ${words}`,
        `Its messages wait for at most ${kept}; ${pluralize(waiting.messages, 'message waits', 'messages wait')} now. A message that waits longer is lost to it:`,
        'the delivery audit finds it, and sends it again.',
        `next: ${command('consumers', 'resume', name)}`,
      ].join('\n'),
      json: {
        pause: {
          service: service.name,
          consumer: consumer.name,
          result: isNew ? 'paused' : 'already-paused',
          since: known?.since ?? since,
          by: known?.by ?? by,
          reason: known?.reason ?? reason,
          waiting: waiting.messages,
          keptForSeconds: waiting.keptForSeconds,
        },
      },
    };
  });

/**
 * `consumers resume`: switches the mappings on again, also of a consumer that was switched off in another way.
 * @throws {OperatorError} `not-found` for a consumer that does not exist
 */
export const resumeConsumer = (context: Context, { consumer: name }: { readonly consumer: string }): Promise<Outcome> =>
  withConsumer(context, name, async (lambda, { service, mappings, waiting }) => {
    const { documents, command } = context;
    const pause = (await readPauses(documents, service)).get(name);
    const wasOff = mappings.some(isOff);
    const result = wasOff ? 'resumed' : 'was-running';
    if (pause || wasOff) {
      const actor = await context.actor();
      const key = await appendAuditEntry(context, service, { actor, action: 'resume', target: name });
      await switchMappings(lambda, mappings, true);
      await forgetPause(documents, service, name);
      await recordResult(documents, key, wasOff ? 'resumed' : 'was running');
    }
    const messages = pluralize(waiting.messages, 'message waits', 'messages wait');
    return {
      exitCode: Exit.OK,
      text: [
        wasOff ? `${name}: resumed; ${messages} for it` : `${name}: was running already; ${messages} for it`,
        `next: ${command('status')}`,
      ].join('\n'),
      json: {
        resume: {
          service: service.name,
          consumer: name,
          result,
          waiting: waiting.messages,
          ...(pause && { pausedSince: pause.since, pausedBy: pause.by, reason: pause.reason }),
        },
      },
    };
  });

async function withConsumer(
  { endpoint, services }: Pick<Context, 'endpoint' | 'services'>,
  name: string,
  run: (lambda: LambdaClient, found: Found) => Promise<Outcome>,
): Promise<Outcome> {
  const all = services.flatMap((service) => service.consumers.map((consumer) => ({ service, consumer })));
  const found = all.find(({ consumer }) => consumer.name === name);
  if (!found) {
    const names = all.map(({ consumer }) => consumer.name).join(', ');
    throw new OperatorError('not-found', `There is no consumer '${name}'; there are: ${names}.`, ['consumers', 'list']);
  }
  const [lambda, sqs] = [new LambdaClient(clientConfig(endpoint)), createSqsClient(endpoint)];
  try {
    return await run(lambda, { ...found, ...(await readMappings({ lambda, sqs }, found.consumer)) });
  } finally {
    for (const client of [lambda, sqs]) client.destroy();
  }
}
