import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { AskFailed, ask } from './ask.js';
import { connection, gaps } from './stream.js';

/** State of an answer that was asked for. */
export type Loading<Answer> =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly answer: Answer }
  | { readonly state: 'failed'; readonly error: AskFailed };

/**
 * Asks for a path when a component appears, when the path changes, and after the page was disconnected. What is shown stays until
 * a newer answer is there.
 * @param again another number asks again
 */
export function useAnswer<Answer>(path: string, again = 0): Signal<Loading<Answer>> {
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
  }, [path, missed, isDown, again]);
  return loading;
}

/** Milliseconds between two readings of what an operator looks at. */
const REFRESHED_EVERY = 15_000;

/** Asks for a path again and again, for as long as somebody sees the page. @returns what is known, and a function that asks at once */
export function useFresh<Answer>(path: string): readonly [Loading<Answer>, () => void] {
  const again = useSignal(0);
  const loading = useAnswer<Answer>(path, again.value);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) again.value++;
    }, REFRESHED_EVERY);
    return () => clearInterval(timer);
  }, []);
  return [
    loading.value,
    () => {
      again.value++;
    },
  ];
}
