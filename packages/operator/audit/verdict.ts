import { pluralize } from '../cli/text-format.js';
import type { AuditTotals } from './audit.js';

/** Findings that a verdict summarizes. */
export interface VerdictInput {
  /** Number of missing deliveries. */
  readonly missing: number;
  /** Number of commits that can't be read, and that no operator has discarded. */
  readonly unreadable: number;
  /** Only consumer that was looked at. */
  readonly consumer: string | undefined;
  /** Whether missing deliveries were sent again. */
  readonly resend: boolean;
}

/** Types of messages without a consumer that the verdict names. */
const MAX_NAMED_TYPES = 3;

/**
 * Returns the verdict in sentences. It says no more than what was compared: that nothing is missing only if the outcome of a delivery
 * is known; and what nobody can tell, or not yet, it counts.
 */
export function describeVerdict(audited: AuditTotals, { missing, unreadable, consumer, resend }: VerdictInput): string {
  const where = consumer === undefined ? '' : ` at ${consumer}`;
  const { processed, discarded, failed } = audited.deliveries;
  const isCompared = missing + processed + discarded + failed > 0;
  const limits = [
    ...(unreadable > 0
      ? [`${pluralize(unreadable, 'commit')} can't be read: nobody knows what became of its messages`]
      : []),
    ...describeLimits(audited, consumer, isCompared ? ': nothing to compare' : ''),
  ];
  if (missing > 0) {
    const lost = pluralize(missing, 'delivery is', 'deliveries are');
    return toSentences([`${lost} missing${where}${resend ? ', and sent again' : ''}`, ...limits]);
  }
  if (isCompared) return toSentences([`Nothing is missing${where}`, ...limits]);
  const why = limits.length > 0 ? limits.join('; ') : 'no message was committed';
  return toSentences([`Nothing was compared${where}: ${why}`]);
}

/** @param nothing what follows from messages without a consumer, where the verdict does not say it */
function describeLimits(
  { messages, deliveries, unheard, unsent }: AuditTotals,
  consumer: string | undefined,
  nothing: string,
): readonly string[] {
  const open = deliveries.pending + deliveries['too new'];
  const isHeard = Object.values(deliveries).some((count) => count > 0);
  const types = [
    ...unheard.types.slice(0, MAX_NAMED_TYPES),
    ...(unheard.types.length > MAX_NAMED_TYPES ? ['...'] : []),
  ].join(', ');
  return [
    ...(open > 0 ? [`${pluralize(open, 'delivery is', 'deliveries are')} on the way`] : []),
    ...(deliveries.expired > 0
      ? [
          `${pluralize(deliveries.expired, 'delivery is', 'deliveries are')} older than records are kept: nobody can tell`,
        ]
      : []),
    ...(unsent > 0 ? [`${pluralize(unsent, 'message')} of a backfill ${unsent === 1 ? 'is' : 'are'} never sent`] : []),
    ...(unheard.messages > 0
      ? [`${pluralize(unheard.messages, 'message has', 'messages have')} no consumer${nothing} (${types})`]
      : []),
    ...(consumer !== undefined && !isHeard && messages > unheard.messages + unsent
      ? [`${consumer} receives none of ${pluralize(messages - unheard.messages - unsent, 'message')}`]
      : []),
  ];
}

const toSentences = (parts: readonly string[]): string =>
  parts.map((part) => `${part.slice(0, 1).toUpperCase()}${part.slice(1)}.`).join(' ');
