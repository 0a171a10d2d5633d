import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { EVENTS_BATCH, splitIntoBatches, utf8Bytes } from '../aws/batches.js';
import { sleepWithJitter } from '../aws/clock.js';
import { SafeError, SafeText } from '../aws/safe-error.js';
import type { BusEntry } from '../messages/envelope.js';

/** Number of concurrent calls. */
const CONCURRENCY = 5;
const BACKOFF_BASE_MS = 50;
const BACKOFF_CAP_MS = 2_000;

/** Error codes of entries that no retry can publish. */
const PERMANENT_ERROR_CODES = new Set(['InvalidArgument', 'MalformedDetail']);

/**
 * Outcome of one entry: `sent`, `hopeless` (it can never be sent; `code` is the reason), or `unsent` (the time was
 * over; `code` is what the bus answered at the last attempt, if it answered).
 */
export type Outcome =
  | { readonly state: 'sent' }
  | { readonly state: 'unsent'; readonly code?: string }
  | { readonly state: 'hopeless'; readonly code: string };

/**
 * Publishes entries in any order and returns the outcome of each. Throttled entries and internal failures are retried,
 * with exponential backoff and full jitter, while `hasTimeLeft()` returns true.
 * @returns one outcome for each entry, in the order of the entries
 * @throws what the SDK throws if a whole call is refused (a missing permission, a bus that does not exist)
 */
export async function publish(
  client: EventBridgeClient,
  bus: string,
  entries: readonly BusEntry[],
  hasTimeLeft: () => boolean,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = entries.map(() => ({ state: 'unsent' }));
  const sizes = entries.map(entryBytes);
  const unsent = (): number[] => [...entries.keys()].filter((at) => outcomes[at]?.state === 'unsent');

  for (let round = 0, waiting = unsent(); waiting.length > 0 && hasTimeLeft(); round++, waiting = unsent()) {
    if (round > 0) await sleepWithJitter(Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** round));
    // A single entry is always below the limits, because a commit has at most 400 KB.
    const chunks = splitIntoBatches(waiting, (at) => sizes[at] ?? 0, EVENTS_BATCH);
    const sendNext = async (): Promise<void> => {
      for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
        const { Entries: answers = [] } = await client.send(
          new PutEventsCommand({ Entries: chunk.map((at) => ({ EventBusName: bus, ...entries[at] })) }),
        );
        for (const [place, at] of chunk.entries()) {
          // If the answer lacks an entry's line, its outcome is unknown, so the entry is sent again.
          const answer = answers[place];
          if (answer?.EventId) outcomes[at] = { state: 'sent' };
          else if (answer?.ErrorCode && PERMANENT_ERROR_CODES.has(answer.ErrorCode)) {
            outcomes[at] = { state: 'hopeless', code: answer.ErrorCode };
          } else if (answer?.ErrorCode?.startsWith('NotAuthorized') || answer?.ErrorCode?.startsWith('AccessDenied')) {
            throw new PublishRefused(SafeText.trusted(answer.ErrorCode));
          } else if (answer?.ErrorCode) outcomes[at] = { state: 'unsent', code: answer.ErrorCode };
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, sendNext));
  }
  return outcomes;
}

/**
 * Error for a relay without the permission to publish. No event is published until an operator repairs its permissions.
 */
class PublishRefused extends SafeError {
  override readonly name = 'PublishRefused';
}

/**
 * Returns the size of an entry: UTF-8 bytes of source, detail type and detail (AWS, "Calculating PutEvents event entry
 * size").
 */
const entryBytes = ({ Source, DetailType, Detail }: BusEntry): number =>
  utf8Bytes(Source) + utf8Bytes(DetailType) + utf8Bytes(Detail);
