import { plural } from '../cli/text.js';
import type { Audited } from './audit.js';

/** Findings that a verdict summarizes. */
export interface Judgement {
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
const NAMED = 3;

/**
 * Returns the verdict in sentences. It says no more than what was compared: that nothing is missing only if the outcome of a delivery
 * is known; and what nobody can tell, or not yet, it counts.
 */
export function verdictOf(audited: Audited, { missing, unreadable, consumer, resend }: Judgement): string {
  const where = consumer === undefined ? '' : ` at ${consumer}`;
  const { processed, discarded, failed } = audited.deliveries;
  const isCompared = missing + processed + discarded + failed > 0;
  const limits = [
    ...(unreadable > 0
      ? [`${plural(unreadable, 'commit')} can't be read: nobody knows what became of its messages`]
      : []),
    ...limitsOf(audited, consumer, isCompared ? ': nothing to compare' : ''),
  ];
  if (missing > 0) {
    const lost = plural(missing, 'delivery is', 'deliveries are');
    return sentences([`${lost} missing${where}${resend ? ', and sent again' : ''}`, ...limits]);
  }
  if (isCompared) return sentences([`Nothing is missing${where}`, ...limits]);
  const why = limits.length > 0 ? limits.join('; ') : 'no message was committed';
  return sentences([`Nothing was compared${where}: ${why}`]);
}

/** @param nothing what follows from messages without a consumer, where the verdict does not say it */
function limitsOf(
  { messages, deliveries, unheard, unsent }: Audited,
  consumer: string | undefined,
  nothing: string,
): readonly string[] {
  const open = deliveries.pending + deliveries['too new'];
  const isHeard = Object.values(deliveries).some((count) => count > 0);
  const types = [...unheard.types.slice(0, NAMED), ...(unheard.types.length > NAMED ? ['...'] : [])].join(', ');
  return [
    ...(open > 0 ? [`${plural(open, 'delivery is', 'deliveries are')} on the way`] : []),
    ...(deliveries.expired > 0
      ? [`${plural(deliveries.expired, 'delivery is', 'deliveries are')} older than records are kept: nobody can tell`]
      : []),
    ...(unsent > 0 ? [`${plural(unsent, 'message')} of a backfill ${unsent === 1 ? 'is' : 'are'} never sent`] : []),
    ...(unheard.messages > 0
      ? [`${plural(unheard.messages, 'message has', 'messages have')} no consumer${nothing} (${types})`]
      : []),
    ...(consumer !== undefined && !isHeard && messages > unheard.messages + unsent
      ? [`${consumer} hears none of ${plural(messages - unheard.messages - unsent, 'message')}`]
      : []),
  ];
}

const sentences = (parts: readonly string[]): string =>
  parts.map((part) => `${part.slice(0, 1).toUpperCase()}${part.slice(1)}.`).join(' ');
