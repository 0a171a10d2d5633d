import type { ComponentChildren } from 'preact';
import type { Loading } from './loading.js';
import { FailedState, LoadingState } from './states.js';

/** Shows an answer, or the state of the question. */
export function Answered<Answer>({
  what,
  of,
  children,
}: {
  /** Name of what is shown: `The status`. */
  readonly what: string;
  readonly of: Loading<Answer>;
  readonly children: (answer: Answer) => ComponentChildren;
}) {
  if (of.state === 'loading') return <LoadingState of={what.toLowerCase()} />;
  if (of.state === 'failed') return <FailedState what={what} error={of.error} />;
  return <>{children(of.answer)}</>;
}
