import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';

/**
 * Finds a text outside of the tables, now or earlier: in messages that are or were in queues, in events that the bus accepted
 * (its archive contains the same), in failed batches and in log lines.
 * @returns one line per place
 */
export function copiesBesideTables({ queues, events, buckets, log }: Cloud, text: string): readonly string[] {
  const places: readonly (readonly [string, unknown])[] = [
    // At rest the queues are empty, so deleted messages count too.
    ...[...queues.values()].map(
      (queue) => [`queue ${queue.label}`, [queue.listMessages(), queue.fates.map(({ message }) => message)]] as const,
    ),
    ...events.accepted.map(({ event }) => [`bus ${event['detail-type']} ${event.id}`, event] as const),
    ...[...buckets.all()].map(([name, body]) => [`bucket ${name}`, body] as const),
    ...log.map((line) => [`log of ${line.fn}`, line.text] as const),
  ];
  const holding = places.filter(([, content]) => JSON.stringify(content).includes(JSON.stringify(text).slice(1, -1)));
  return [...new Set(holding.map(([place]) => place))];
}
