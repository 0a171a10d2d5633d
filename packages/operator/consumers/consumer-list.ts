import { LambdaClient } from '@aws-sdk/client-lambda';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { mapConcurrently } from '@orderly/kit/internal/aws/map-concurrently.js';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { type ListColumns, renderList } from '../cli/table.js';
import { formatDuration, pluralize } from '../cli/text-format.js';
import { clientConfig } from '../deployment/endpoint.js';
import { createSqsClient } from '../records/message-sender.js';
import { isOff, type QueueMapping, readMappings } from './mappings.js';
import { type Pause, readPauses } from './pauses.js';

/** Calls at once: below the rates that AWS allows for descriptions. */
const CONCURRENCY = 4;

/** Whether a consumer gets messages. */
export type ConsumerMode = 'running' | 'paused' | 'switched off' | 'running, though paused';

/** `consumers list`: which consumers run, which are paused, by whom and why, and what waits for each. */
export async function listConsumers({
  endpoint,
  documents,
  services,
  clock,
  command,
}: Pick<CommandContext, 'endpoint' | 'documents' | 'services' | 'clock' | 'command'>): Promise<Outcome> {
  const [lambda, sqs] = [new LambdaClient(clientConfig(endpoint)), createSqsClient(endpoint)];
  try {
    const pauses = new Map(
      (await Promise.all(services.map((service) => readPauses(documents, service)))).flatMap((own) => [...own]),
    );
    const all = services.flatMap((service) => service.consumers.map((consumer) => ({ service, consumer })));
    const rows = await mapConcurrently(all, CONCURRENCY, async ({ service, consumer }) => {
      const { mappings, waiting } = await readMappings({ lambda, sqs }, consumer);
      const pause = pauses.get(consumer.name);
      return {
        service: service.name,
        consumer: consumer.name,
        state: modeOf(mappings, pause),
        waiting: waiting.messages,
        keptForSeconds: waiting.keptForSeconds,
        ...(pause && { since: pause.since, by: pause.by, reason: pause.reason }),
      };
    });
    const odd = rows.filter(({ state }) => state !== 'running');
    return {
      exitCode: Exit.OK,
      text: renderRows(rows, clock.now(), odd[0] && command('consumers', 'resume', odd[0].consumer)),
      json: { consumers: rows },
    };
  } finally {
    for (const client of [lambda, sqs]) client.destroy();
  }
}

/** Compares what an operator has asked for with what is. It is a pure function. */
export function modeOf(mappings: readonly QueueMapping[], pause: Pause | undefined): ConsumerMode {
  const off = mappings.some(isOff);
  if (pause) return off ? 'paused' : 'running, though paused';
  return off ? 'switched off' : 'running';
}

interface Row {
  readonly service: string;
  readonly consumer: string;
  readonly state: ConsumerMode;
  readonly waiting: number;
  readonly since?: string;
  readonly by?: string;
  readonly reason?: string;
}

const COLUMNS: ListColumns = {
  head: ['CONSUMER', 'STATE', 'WAITING', 'SINCE', 'BY', 'REASON'],
  cut: ['REASON', 'BY'],
  below: ['BY', 'REASON'],
};

function renderRows(rows: readonly Row[], now: string, next: string | undefined): string {
  const paused = rows.filter(({ state }) => state !== 'running').length;
  const table = renderList(
    COLUMNS,
    rows.map(({ service, consumer, state, waiting, since, by = '-', reason = '-' }) => [
      `${service}/${consumer}`,
      state,
      String(waiting),
      since === undefined || since === '' ? '-' : `${formatDuration(secondsBetween(since, now))} ago`,
      by,
      reason,
    ]),
  );
  return [
    `${pluralize(rows.length, 'consumer')}, ${paused === 0 ? 'all running' : `${paused} not running as usual`}`,
    '',
    table,
    ...(next === undefined ? [] : ['', `next: ${next}`]),
  ].join('\n');
}
