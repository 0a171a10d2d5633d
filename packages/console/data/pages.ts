import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { AskFailed, ask } from '../page/ask.js';
import type { DataPage } from '../server/data-contract.js';

/** Pages of a list that were read so far. */
export interface Pages<Entry> {
  readonly entries: Signal<readonly Entry[]>;
  /** Whether there is a page behind them. */
  readonly hasMore: Signal<boolean>;
  readonly isLoading: Signal<boolean>;
  readonly error: Signal<AskFailed | undefined>;
  /** Reads the next page. */
  more(): void;
  /** Reads the first page again, and forgets the others. */
  again(): void;
}

/** Reads a list page by page: the first one at once, the others when somebody asks for them. @param path with a query */
export function usePages<Entry>(path: string): Pages<Entry> {
  const entries = useSignal<readonly Entry[]>([]);
  const next = useSignal<string | undefined>(undefined);
  const hasMore = useSignal(false);
  const isLoading = useSignal(true);
  const error = useSignal<AskFailed | undefined>(undefined);
  const newest = useSignal(0);
  const read = async (after?: string): Promise<void> => {
    // A slow answer to an older question must not take the place of a newer one's.
    const number = newest.peek() + 1;
    newest.value = number;
    isLoading.value = true;
    try {
      const page = await ask<DataPage<Entry>>(
        after === undefined ? path : `${path}&after=${encodeURIComponent(after)}`,
      );
      if (newest.peek() !== number) return;
      entries.value = after === undefined ? page.entries : [...entries.peek(), ...page.entries];
      next.value = page.next;
      hasMore.value = page.next !== undefined;
      error.value = undefined;
    } catch (thrown) {
      if (newest.peek() !== number) return;
      error.value = thrown instanceof AskFailed ? thrown : new AskFailed(0, String(thrown));
    }
    isLoading.value = false;
  };
  useEffect(() => {
    entries.value = [];
    void read();
    return () => {
      newest.value++;
    };
  }, [path]);
  return {
    entries,
    hasMore,
    isLoading,
    error,
    more: () => void read(next.peek()),
    again: () => void read(),
  };
}
