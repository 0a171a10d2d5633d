import type { Commands, Count, Counts } from '@orderly/console';

/** Milliseconds for which the counts of an environment are shown before they are read again: an audit reads its tables. */
const KEPT = 60_000;
const SPAN = '1h';
const ONLY_LOCAL = "Counted in a local cloud only. At AWS an order's own page counts its attempts, from the log lines.";

interface Audited {
  readonly audit?: {
    readonly commits: number;
    readonly messages: number;
    readonly deliveries: Readonly<Record<string, number>>;
    readonly twice?: { readonly found: readonly object[] };
  };
}

/**
 * Reads what the delivery audit says of the last hour.
 * @param now the clock of the environment, ISO 8601
 * @returns a function that reads at most once a minute, and once for all that ask at the same time
 */
export function readCounts(commands: Commands, now: () => string): () => Promise<Counts> {
  let kept: { readonly at: number; readonly counts: Promise<Counts> } | undefined;
  return () => {
    if (!kept || Date.now() - kept.at > KEPT) kept = { at: Date.now(), counts: read(commands, now) };
    return kept.counts;
  };
}

async function read(commands: Commands, now: () => string): Promise<Counts> {
  const answer = await commands.answer({ method: 'GET', target: `/read/audit?since=${SPAN}`, body: '' });
  const { audit } = (answer?.body ?? {}) as Audited;
  const { message = 'The audit has no answer.' } = (answer?.body ?? {}) as { readonly message?: string };
  const of = (value: number | undefined): Count => (value === undefined ? { unknown: message } : { value });
  const unknown: Count = { unknown: ONLY_LOCAL };
  const at = now();
  return {
    ...(audit && { checkedUntil: at }),
    open: 0,
    unjudged: (audit?.deliveries.pending ?? 0) + (audit?.deliveries['too new'] ?? 0),
    counts: {
      committed: of(audit?.commits),
      published: of(audit?.messages),
      delivered: of(audit && Object.values(audit.deliveries).reduce((sum, count) => sum + count, 0)),
      applied: of(audit?.deliveries.processed),
      duplicates: unknown,
      crashes: unknown,
      lost: of(audit?.deliveries.missing),
      twice: of(audit && (audit.twice?.found.length ?? 0)),
    },
  };
}
