import type { ComponentChildren } from 'preact';
import { connection } from './stream.js';

/** Shows that an answer is on its way. */
export function LoadingState({ of }: { readonly of: string }) {
  return (
    <p class="state" role="status">
      Loading {of} …
    </p>
  );
}

/** Shows that there is nothing, and how something would come. */
export function EmptyState({ children }: { readonly children: ComponentChildren }) {
  return <p class="state">{children}</p>;
}

/** Shows what failed, and what can be done. */
export function FailedState({ what, error }: { readonly what: string; readonly error: Error }) {
  return (
    <div class="state failed" role="alert">
      <strong>{what} can't be shown.</strong> {error.message}
    </div>
  );
}

/** Shows that the page isn't connected, on top of what was read before. */
export function ConnectionState() {
  const state = connection.value;
  if (state === 'reconnecting')
    return (
      <p class="banner" role="status">
        The connection is lost. The page tries again; what it shows may be old.
      </p>
    );
  if (state === 'down')
    return (
      <p class="banner failed" role="alert">
        Nothing answers at {location.host}. If it was started again, open the address that the new start printed: it has
        a new token.
      </p>
    );
  return null;
}
