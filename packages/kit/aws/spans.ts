import { createHash } from 'node:crypto';
import { Env } from './environment.js';
import { takeRandomBytes } from './ids.js';
import type { Item, TransactWriteItem } from './items.js';
import { SPAN, TracesEnv } from './traces-names.js';

/**
 * Spans of traces, as lines of a function's log. A subscription brings the lines to one function, which exports them
 * (`packages/kit/traces`): so no function waits for a collector, and what a crash leaves behind is exported too.
 *
 * Callers ask `process.env.KIT_TRACES === 'on'` first. `Bundles` puts the setting in its place, so that a bundle without traces
 * contains nothing of this module.
 */

/** Kind of a span: the part of a message's way through the services that it covers. */
export type SpanSubject = 'request' | 'commit' | 'publish' | 'receive' | 'process' | 'saga';

/** A line of a log that is a span. Times are milliseconds since 1970. */
export interface SpanLine {
  readonly kind: typeof SPAN;
  readonly of: SpanSubject;
  readonly service: string;
  /** Name of the function. */
  readonly fn: string;
  readonly trace: string;
  readonly span: string;
  /** Absent for the first span of a trace. */
  readonly parent?: string;
  readonly begin: number;
  readonly end: number;
  /** Name of the error with which it failed. */
  readonly error?: string;
  readonly [field: string]: unknown;
}

/** Fields of a span. No field may contain data of a person. */
export type SpanFields = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** A span that has begun. */
export interface Span {
  /** Trace context of what the span causes (W3C Trace Context): its `parent-id` is this span. */
  readonly traceparent: string;
  /** Writes the span, unless the trace is not sampled. */
  end(of: SpanSubject, fields: SpanFields): void;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

/**
 * Begins a span.
 * @param traceparent of what causes it. Without a valid one it is the first span of a new trace, and the share that the environment
 *   samples decides whether the trace is written. @param spanId @default a random one
 */
export function startSpan(traceparent: string | undefined, spanId = takeRandomBytes(8).toString('hex')): Span {
  const [, given, parent, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  const trace = given ?? takeRandomBytes(16).toString('hex');
  const isSampled = flags === undefined ? isChosen(trace) : (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  const begin = Date.now();
  return {
    traceparent: `00-${trace}-${spanId}-${flags ?? (isSampled ? '01' : '00')}`,
    end: (of, fields) => {
      if (!isSampled) return;
      const line: SpanLine = {
        kind: SPAN,
        of,
        service: process.env[Env.SERVICE] ?? '',
        fn: process.env.AWS_LAMBDA_FUNCTION_NAME ?? '',
        trace,
        span: spanId,
        ...(parent !== undefined && { parent }),
        begin,
        // The clock of a machine may be set back meanwhile.
        end: Math.max(begin, Date.now()),
        ...fields,
      };
      // As EMF metrics: console.log would put a time and a request id before it.
      process.stdout.write(`${JSON.stringify(line)}\n`);
    },
  };
}

/** OpenTelemetry SDK specification, "TraceIdRatioBased": the same trace id gives the same decision everywhere. */
const isChosen = (trace: string): boolean =>
  Number.parseInt(trace.slice(16, 28), 16) < Number(process.env[TracesEnv.SHARE] ?? 1) * 2 ** 48;

/** The parts of a commit from which the id of its span follows. */
interface CommitItem {
  readonly pk: string;
  readonly sk: string;
  readonly traceparent: string;
}

/**
 * Returns the id of a commit's span. It follows from the commit, so that the relay, which runs elsewhere, knows the parent of what it
 * publishes.
 */
export const commitSpanId = ({ pk, sk, traceparent }: CommitItem): string =>
  createHash('sha256').update(`${traceparent}/${pk}/${sk}`).digest('hex').slice(0, 16);

/** Returns the trace context of what a commit causes. */
export const commitContext = (commit: CommitItem): string =>
  commit.traceparent.replace(/-[0-9a-f]{16}-/, `-${commitSpanId(commit)}-`);

/** A write of one item. */
type Put = { readonly TableName?: string | undefined; readonly Item?: Item | undefined };

/** Returns the items that a transaction puts, with their tables. */
export const putsOf = (writes: readonly TransactWriteItem[]): readonly Put[] =>
  writes.flatMap(({ Put }) => (Put === undefined ? [] : [Put]));

/**
 * Writes a span for each commit among the items of a write, once the write has ended. A refused write gets spans of their own
 * ids: the next attempt writes the same commits again.
 * @param sent the write @param operation of DynamoDB @param puts items that it puts
 */
export function traceCommits(
  sent: Promise<unknown>,
  operation: 'PutItem' | 'TransactWriteItems',
  puts: readonly Put[],
): void {
  const commits = puts.flatMap(({ TableName: table, Item: item }) =>
    isCommit(item) ? [{ table, item, ...startedFor(item) }] : [],
  );
  if (commits.length === 0) return;
  const end = (error?: unknown): void => {
    for (const { table, item, committed, refused } of commits) {
      const { pk, sk, events } = item;
      const fields = {
        operation,
        table,
        aggregate: pk.slice(0, pk.indexOf('#')),
        version: Number(sk.replace(/\D/g, '')),
        events: events.map(({ type }) => type),
      };
      if (error === undefined) committed.end('commit', fields);
      else refused.end('commit', { ...fields, error: nameOf(error) });
    }
  };
  sent.then(() => end(), end);
}

const startedFor = (item: CommitItem) => ({
  committed: startSpan(item.traceparent, commitSpanId(item)),
  refused: startSpan(item.traceparent),
});

const isCommit = (item: Item | undefined): item is Item & CommitItem & { readonly events: { type: string }[] } =>
  typeof item?.traceparent === 'string' && Array.isArray(item.events);

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
