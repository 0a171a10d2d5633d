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
    const failed = [...fn.failedAt].filter(([minute]) => minute + MINUTE > since);
    const errors = failed.reduce((sum, [, count]) => sum + count, 0);
    return [`function:${fn.label}`, { pending: 0, inFlight: fn.running, errors }];
  });
  const counts = [...ofQueues, ...ofFunctions].filter(([, one]) => one.pending + one.inFlight + one.errors > 0);
  return { counts: Object.fromEntries(counts) };
}
