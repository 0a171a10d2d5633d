import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { sleepWithJitter } from '../aws/clock.js';
import type { DedupeWindow } from '../aws/dedupe-window.js';
import { TransactionRefused, type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { WriteConflict } from '../aws/write-conflict.js';
import { isPermanent } from '../failures/failure-kinds.js';
import { toMessageTrace } from '../idempotent-consumer/process-message.js';
import { ProcessedRecords } from '../idempotent-consumer/process-once.js';
import type { Lane, LaneDecision, RefusedShare } from './lane.js';
import type { StoredRequest } from './request-item.js';
import { splitInHalf } from './rounds.js';

/** Lost races of one round, after which the stream delivers it again. The pauses add up to at most 0.6 s. */
const MAX_ATTEMPTS = 5;
const BACKOFF_MS = 20;

/** Outcome of the requests of a round. Each request is in one of the lists. */
export interface Outcome {
  readonly decided: readonly StoredRequest[];
  /** Requests that were processed, or recorded as failed, before. */
  readonly duplicates: readonly StoredRequest[];
  /** Requests that the lane can't decide. Each must be processed alone, by a plain transaction. */
  readonly alone: readonly StoredRequest[];
}

export interface RoundSettings {
  readonly lane: Lane;
  /** Name of the table of processed records. */
  readonly records: string;
  /** Deduplication window of the consumer. */
  readonly windowSeconds: DedupeWindow;
  /** Name of the service. */
  readonly service: string;
}

/** Writes of one attempt, by their purpose. */
interface Attempt {
  readonly shared: TransactWriteItem | undefined;
  readonly parts: readonly {
    readonly request: StoredRequest;
    /** Record of the request: it fails if the message was processed, or recorded as failed, before. */
    readonly claim: TransactWriteItem;
    readonly effect: readonly TransactWriteItem[];
  }[];
}

/** Error for a decision that throws: at least one of its requests is poison. */
class Undecidable extends Error {
  override readonly name = 'Undecidable';
}

/**
 * Decides requests of one key in one transaction: the shared item once, and the effect and the record of each request. No
 * crash can leave one of them without the others.
 *
 * A lane that loads nothing assumes that all requests are new. A refusal says which of its assumptions were wrong:
 *
 *     lane                                    plain transactions, at the same time
 *     decide for 30, as if all were new
 *                                             record request 7, change the shared item
 *     transact: refused, and by which conditions
 *     decide for 29, with the item as found
 *     transact: committed
 *
 * A round that can never commit is divided until its poison is alone, so a poison request takes no other with it.
 * @throws {WriteConflict} after five lost races
 * @throws any other failure of the transaction. Some requests may have been decided; a repetition recognises them.
 */
export async function decideRound(round: readonly StoredRequest[], settings: RoundSettings): Promise<Outcome> {
  const duplicates: StoredRequest[] = [];
  const alone: StoredRequest[] = [];
  let open = round;
  let found: RefusedShare | undefined;
  for (let lost = 0; open.length > 0; ) {
    let attempt: Attempt | undefined;
    try {
      attempt = await buildAttempt(open, found, settings);
      await transact(toWrites(attempt));
      return { decided: open, duplicates, alone };
    } catch (error) {
      if (error instanceof TransactionRefused && attempt) {
        const { parts, shared } = attempt;
        const refused = (write: TransactWriteItem): boolean => error.conditionFailedFor(write);
        const known = parts.filter(({ claim }) => refused(claim));
        // The request's own aggregate is not as assumed. In a refusal, the record's reason outranks this one. What is loaded
        // again in each attempt is never assumed.
        const other = settings.lane.loadsState
          ? []
          : parts.filter(({ claim, effect }) => !refused(claim) && effect.some(refused));
        duplicates.push(...known.map(({ request }) => request));
        alone.push(...other.map(({ request }) => request));
        const rest = parts.filter((part) => !known.includes(part) && !other.includes(part));
        if (shared && refused(shared)) found = { found: error.existingItem(shared) };
        // A refusal that leaves fewer requests is progress, and no race.
        if (rest.length === open.length && ++lost >= MAX_ATTEMPTS) throw error;
        open = rest.map(({ request }) => request);
      } else if (error instanceof WriteConflict) {
        if (++lost >= MAX_ATTEMPTS) throw error;
        await sleepWithJitter(BACKOFF_MS * 2 ** lost);
      } else if (isPoison(error)) {
        if (open.length === 1) return { decided: [], duplicates, alone: [...alone, ...open] };
        const outcomes: Outcome[] = [{ decided: [], duplicates, alone }];
        for (const half of splitInHalf(open)) outcomes.push(await decideRound(half, settings));
        return mergeOutcomes(outcomes);
      } else throw error;
    }
  }
  return { decided: [], duplicates, alone };
}

/**
 * Tells whether a repetition of the same transaction can't succeed. A cancellation that is neither a refusal nor a conflict
 * nor a throttle names an item that DynamoDB does not accept.
 */
const isPoison = (error: unknown): boolean =>
  error instanceof Undecidable || error instanceof TransactionCanceledException || isPermanent(error, () => false);

/**
 * @throws {Undecidable} if the decision throws
 * @throws what a call to AWS throws
 */
async function buildAttempt(
  open: readonly StoredRequest[],
  found: RefusedShare | undefined,
  { lane, records, windowSeconds, service }: RoundSettings,
): Promise<Attempt> {
  const { shared, effects } = await requestDecision(open, found, lane, service);
  return {
    shared: shared && { Update: shared.Update && { ...shared.Update, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
    parts: open.map((request, at) => ({
      request,
      claim: new ProcessedRecords(records, request.consumer, windowSeconds).claim(request.message),
      effect: effects[at] ?? [],
    })),
  };
}

async function requestDecision(
  open: readonly StoredRequest[],
  found: RefusedShare | undefined,
  lane: Lane,
  service: string,
): Promise<LaneDecision> {
  try {
    return await lane.decide(
      open.map(({ message }) => ({ message, trace: toMessageTrace(message, service) })),
      found,
    );
  } catch (error) {
    // The SDK marks what a call has thrown. No request is at fault.
    if (error instanceof WriteConflict || (error instanceof Error && '$metadata' in error)) throw error;
    throw new Undecidable('the decision throws', { cause: error });
  }
}

const toWrites = ({ shared, parts }: Attempt): readonly TransactWriteItem[] => [
  ...(shared ? [shared] : []),
  ...parts.flatMap(({ claim, effect }) => [claim, ...effect]),
];

const mergeOutcomes = (outcomes: readonly Outcome[]): Outcome => ({
  decided: outcomes.flatMap(({ decided }) => decided),
  duplicates: outcomes.flatMap(({ duplicates }) => duplicates),
  alone: outcomes.flatMap(({ alone }) => alone),
});
