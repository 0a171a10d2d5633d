import { commitContext, type Span, startSpan } from '../aws/spans.js';
import type { Commit } from '../messages/commit.js';
import { type BusEntry, type Sender, toBusEntries } from '../messages/envelope.js';
import type { Outcome } from './publish.js';

/** An entry of the bus, and the span of its publication. */
export interface TracedEntry {
  readonly entry: BusEntry;
  /** Writes the span. */
  readonly end: (bus: string, outcome: Outcome) => void;
}

/**
 * Returns the bus entries of one commit, each with a span. The span is the parent of what the message's consumers do, and a child of
 * the commit. A message that is published twice has two.
 */
export function toTracedEntries(commit: Commit, sender: Sender): readonly TracedEntry[] {
  const spans: { readonly id: string; readonly span: Span }[] = [];
  const entries = toBusEntries(commit, sender, ({ id }) => {
    const span = startSpan(commitContext(commit));
    spans.push({ id, span });
    return span.traceparent;
  });
  return entries.map((entry, at) => ({
    entry,
    end: (bus, outcome) => {
      const { id, span } = spans[at] as (typeof spans)[number];
      span.end('publish', {
        bus,
        message: id,
        type: entry.DetailType,
        correlationId: commit.correlationId,
        outcome: outcome.state,
        ...(outcome.state === 'hopeless' && { error: outcome.code }),
      });
    },
  }));
}
