import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { AskFailed, ask } from './ask.js';
import { connection, gaps } from './stream.js';

/** What is known of an answer that was asked for. */
export type Loading<Answer> =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly answer: Answer }
  | { readonly state: 'failed'; readonly error: AskFailed };

/**
 * Asks for a path when a component appears, when the path changes, and after the page was disconnected. What is shown stays until
 * a newer answer is there.
 */
export function useAnswer<Answer>(path: string): Signal<Loading<Answer>> {
  const loading = useSignal<Loading<Answer>>({ state: 'loading' });
  const missed = gaps.value;
  const isDown = connection.value === 'down';
  useEffect(() => {
    const aborted = new AbortController();
    ask<Answer>(path, undefined, aborted.signal).then(
      (answer) => {
        loading.value = { state: 'loaded', answer };
      },
      (error: Error) => {
        const isGone = error instanceof AskFailed && error.status === 0;
        if (aborted.signal.aborted || (isGone && loading.value.state === 'loaded')) return;
        loading.value = {
          state: 'failed',
          error: error instanceof AskFailed ? error : new AskFailed(0, error.message),
        };
      },
    );
    return () => aborted.abort();
  }, [path, missed, isDown]);
  return loading;
}
