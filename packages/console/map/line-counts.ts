import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { REMEMBERED, readRemembered } from '../page/remembered.js';
import { gaps, type Happened, listen } from '../page/stream.js';
import { movesOf } from './motion.js';
import type { Picture } from './picture.js';

/** Messages that have moved along one line. */
export interface LineCount {
  readonly all: number;
  /** Those of them that changed nothing at their consumer, since it had applied them before. */
  readonly duplicates: number;
  /** Those of them that failed. */
  readonly failed: number;
}

/** Kinds of happenings that move along lines (`movesOf`). */
const KINDS = ['delivery', 'record', 'timer', 'call'];
/** Milliseconds between two pictures of the numbers. */
const DRAW_AFTER = 200;

/** Counts what has moved along each line of a picture, by the places of the lines. */
export class LineCounter {
  private readonly counts: LineCount[];
  private newest = 0;

  constructor(private readonly lines: Picture['lines']) {
    this.counts = lines.map(() => ({ all: 0, duplicates: 0, failed: 0 }));
  }

  /** Counts a happening once, however often the page gets it: they come in the order of their numbers. */
  add(happened: Happened): void {
    if (happened.number <= this.newest) return;
    this.newest = happened.number;
    for (const { line, tone } of movesOf(happened, this.lines)) {
      const { all, duplicates, failed } = this.counts[line] as LineCount;
      this.counts[line] = {
        all: all + 1,
        duplicates: duplicates + Number(tone === 'duplicate'),
        failed: failed + Number(tone === 'failed'),
      };
    }
  }

  get all(): readonly LineCount[] {
    return [...this.counts];
  }
}

/** Says the numbers of a line in words; empty where nothing has moved. */
export function describeLineCount({ all, duplicates, failed }: LineCount): string {
  if (all === 0) return '';
  const parts = [
    duplicates > 0 && `${duplicates} ${duplicates === 1 ? 'duplicate' : 'duplicates'}`,
    failed > 0 && `${failed} failed`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? `${all}` : `${all}, ${parts.join(', ')}`;
}

/** Returns how many messages have moved along each line, of those that the local cloud remembers, and keeps that current. */
export function useLineCounts(picture: Picture): Signal<readonly LineCount[]> {
  const counts = useSignal<readonly LineCount[]>([]);
  const missed = gaps.value;
  useEffect(() => {
    const counter = new LineCounter(picture.lines);
    const aborted = new AbortController();
    // Happenings that come while the remembered ones are read are newer than they are.
    let waiting: Happened[] | undefined = [];
    let planned: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      planned = undefined;
      counts.value = counter.all;
    };
    const end = listen((happened) => {
      if (!KINDS.includes(happened.kind)) return;
      if (waiting) {
        waiting.push(happened);
        if (waiting.length > REMEMBERED) waiting.shift();
        return;
      }
      counter.add(happened);
      planned ??= setTimeout(draw, DRAW_AFTER);
    });
    void readRemembered(KINDS, aborted.signal).then((remembered) => {
      if (aborted.signal.aborted) return;
      for (const happened of [...remembered, ...(waiting ?? [])]) counter.add(happened);
      waiting = undefined;
      draw();
    });
    return () => {
      aborted.abort();
      end();
      clearTimeout(planned);
    };
  }, [picture, missed]);
  return counts;
}
