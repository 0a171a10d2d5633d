import type { Cloud } from '../../../packages/simulator/cloud.js';

/**
 * Where a text stands outside of the tables, or stood: messages that are or were in queues, what the bus has taken (which
 * is what its archive holds), failed batches, log lines. @returns one line a place
 */
export function copiesBesideTables({ queues, events, buckets, log }: Cloud, text: string): readonly string[] {
  const places: readonly (readonly [string, unknown])[] = [
    // At rest they are empty: what was deleted counts as well.
    ...[...queues.values()].map(
      (queue) => [`queue ${queue.label}`, [queue.all(), queue.fates.map(({ message }) => message)]] as const,
    ),
    ...events.accepted.map(({ event }) => [`bus ${event['detail-type']} ${event.id}`, event] as const),
    ...[...buckets.all()].map(([name, body]) => [`bucket ${name}`, body] as const),
    ...log.map((line) => [`log of ${line.fn}`, line.text] as const),
  ];
  const holding = places.filter(([, content]) => JSON.stringify(content).includes(JSON.stringify(text).slice(1, -1)));
  return [...new Set(holding.map(([place]) => place))];
}
