import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../page/ask.js';
import { gaps, listen } from '../page/stream.js';
import type { MapCounts } from '../server/map-contract.js';

/** Milliseconds between two questions at least. */
const APART = 1_000;

/**
 * Returns the numbers of all nodes. They are asked for when something has happened, and at most once a second: nothing is asked while
 * nothing happens.
 */
export function useCounts(): Signal<MapCounts['counts']> {
  const counts = useSignal<MapCounts['counts']>({});
  const missed = gaps.value;
  useEffect(() => {
    let planned: ReturnType<typeof setTimeout> | undefined;
    let asked = 0;
    let isOver = false;
    const read = async (): Promise<void> => {
      asked = Date.now();
      const answer = await ask<MapCounts>('/_console/map/counts').catch(() => undefined);
      planned = undefined;
      if (answer && !isOver) counts.value = answer.counts;
    };
    const plan = (): void => {
      planned ??= setTimeout(() => void read(), Math.max(0, asked + APART - Date.now()));
    };
    plan();
    const end = listen(plan);
    return () => {
      isOver = true;
      end();
      clearTimeout(planned);
    };
  }, [missed]);
  return counts;
}
