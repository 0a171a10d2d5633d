import type { ConsumerDescription } from '@orderly/kit/internal/base/outputs.js';

/**
 * Prices in dollars of a million, us-east-1, on demand, November 2026 (docs/cost.md). AWS bills the Region's own prices; an
 * estimate within a factor of two is good enough to decide by.
 */
const PER_MILLION = { readUnit: 0.125, writeUnit: 0.625, queueRequest: 0.5, invocation: 0.2, gigabyteSecond: 13.33 };
/** Time of one invocation with one message, in GB-seconds: 50 ms with 512 MB. */
const GIGABYTE_SECONDS = 0.025;

/** Use of one message at its consumer, each alone in its batch, with an effect of 1 KB. */
interface Use {
  /** Messages of SQS, each of which is sent, received and deleted. */
  readonly queued: number;
  readonly invocations: number;
  readonly writeUnits: number;
}

/** Record and effect in one transaction. */
const CONSUMER: Use = { queued: 1, invocations: 1, writeUnits: 4 };
/** Stored, handed out, taken, and ended with its effect; a sequential inbox moves its cursor, too. */
const INBOX: Use = { queued: 2, invocations: 3, writeUnits: 11 };
const SEQUENTIAL: Use = { ...INBOX, writeUnits: 13 };

/**
 * Estimates what a replay costs, in dollars. Not in it: what follows from the effects, as the events that they publish.
 * A commit of up to 4 KB, the record of its publication and those of its messages are read, each twice with the estimate.
 */
export function dollarsOf(
  { inbox }: Pick<ConsumerDescription, 'inbox'>,
  { commits, messages, toSend }: { readonly commits: number; readonly messages: number; readonly toSend: number },
): number {
  const { queued, invocations, writeUnits } =
    inbox === undefined ? CONSUMER : inbox.mode === 'sequential' ? SEQUENTIAL : INBOX;
  const reading = (2 * commits + messages) * PER_MILLION.readUnit;
  const sent =
    3 * queued * PER_MILLION.queueRequest +
    writeUnits * PER_MILLION.writeUnit +
    invocations * (PER_MILLION.invocation + GIGABYTE_SECONDS * PER_MILLION.gigabyteSecond);
  return (reading + toSend * sent) / 1_000_000;
}
