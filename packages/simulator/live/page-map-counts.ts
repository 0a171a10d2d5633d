import type { MapCounts, NodeCounts } from '@orderly/console';
import type { Cloud } from '../cloud/cloud.js';
import { deadLetterArns } from './page-map-nodes.js';

const MINUTE = 60_000;
/** Minutes for which a failed invocation is shown. */
const SHOWN_MINUTES = 5;

/**
 * Counts what waits, what is in flight and what went wrong. It reads no message twice and no table, so that a page may ask whenever
 * something happens.
 */
export function countMap(cloud: Cloud): MapCounts {
  const { world, queues, functions } = cloud;
  const deadLetters = deadLetterArns(cloud);
  const ofQueues = [...queues.values()].map((queue): readonly [string, NodeCounts] => {
    const { visible, inFlight, delayed } = queue.counts;
    const total = visible + inFlight + delayed;
    const errors = deadLetters.has(queue.resource.arn) ? total : 0;
    return [`queue:${queue.label}`, { pending: visible + delayed, inFlight, errors }];
  });
  const since = world.now - SHOWN_MINUTES * MINUTE;
  const ofFunctions = [...functions.values()].map((fn): readonly [string, NodeCounts] => {
    return [`function:${fn.label}`, { pending: 0, inFlight: fn.running, errors: sumSince(fn.failedAt, since) }];
  });
  const ofRoutes = cloud.apis.flatMap(({ label, traffic }) =>
    [...traffic].map(([route, { running, failedAt }]): readonly [string, NodeCounts] => {
      return [`route:${label} ${route}`, { pending: 0, inFlight: running, errors: sumSince(failedAt, since) }];
    }),
  );
  const counts = [...ofQueues, ...ofFunctions, ...ofRoutes].filter(
    ([, one]) => one.pending + one.inFlight + one.errors > 0,
  );
  return { counts: Object.fromEntries(counts) };
}

const sumSince = (counts: ReadonlyMap<number, number>, since: number): number =>
  [...counts].reduce((sum, [minute, count]) => (minute + MINUTE > since ? sum + count : sum), 0);
