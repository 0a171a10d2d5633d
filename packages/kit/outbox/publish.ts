import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { pauseUpTo } from '../aws/clock.js';
import type { BusEntry } from '../messages/envelope.js';

/** EventBridge's limits for one PutEvents; an entry alone, of a commit of 400 KB at most, is always below. */
const MAX_ENTRIES = 10;
const MAX_BYTES = 1024 * 1024;
/** Calls under way at once. */
const CONCURRENCY = 5;
const BACKOFF_BASE_MS = 50;
const BACKOFF_CAP_MS = 2_000;

/** An entry that no retry will get onto the bus. */
const HOPELESS = new Set(['InvalidArgument', 'MalformedDetail']);

/** What became of one entry: `sent`, `hopeless` (it can never be sent, and why), or `unsent` (time was over). */
export type Outcome = { readonly state: 'sent' | 'unsent' } | { readonly state: 'hopeless'; readonly code: string };

/**
 * Sends entries, whatever their order, and tells for each what became of it. Throttled entries and internal failures
 * are sent again with backoff and full jitter while `mayGoOn()`.
 * @returns one outcome per entry, in the order of the entries
 * @throws what the SDK throws where the call as a whole is refused (a missing permission, a bus that isn't there)
 */
export async function publish(
  client: EventBridgeClient,
  bus: string,
  entries: readonly BusEntry[],
  mayGoOn: () => boolean,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = entries.map(() => ({ state: 'unsent' }));
  const unsent = (): number[] => [...entries.keys()].filter((at) => outcomes[at]?.state === 'unsent');

  for (let round = 0, waiting = unsent(); waiting.length > 0 && mayGoOn(); round++, waiting = unsent()) {
    if (round > 0) await pauseUpTo(Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** round));
    const chunks = chunked(entries, waiting);
    const sendNext = async (): Promise<void> => {
      for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
        const { Entries: answers = [] } = await client.send(
          new PutEventsCommand({ Entries: chunk.map((at) => ({ EventBusName: bus, ...entries[at] })) }),
        );
        for (const [place, at] of chunk.entries()) {
          // An answer without an entry's line says nothing about it: it is sent again.
          const answer = answers[place];
          if (answer?.EventId) outcomes[at] = { state: 'sent' };
          else if (answer?.ErrorCode && HOPELESS.has(answer.ErrorCode)) {
            outcomes[at] = { state: 'hopeless', code: answer.ErrorCode };
          } else if (answer?.ErrorCode?.startsWith('NotAuthorized') || answer?.ErrorCode?.startsWith('AccessDenied')) {
            throw new PublishRefused(answer.ErrorCode);
          }
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, sendNext));
  }
  return outcomes;
}

/** The relay may not publish: no event will pass until an operator mends its permissions. */
export class PublishRefused extends Error {
  override readonly name = 'PublishRefused';
}

/** AWS, "Calculating PutEvents event entry size": UTF-8 bytes of source, detail type and detail. */
const entryBytes = ({ Source, DetailType, Detail }: BusEntry): number =>
  Buffer.byteLength(Source) + Buffer.byteLength(DetailType) + Buffer.byteLength(Detail);

/** Places of the entries that go together: at most 10 and 1 MB. */
function chunked(entries: readonly BusEntry[], places: readonly number[]): number[][] {
  const chunks: number[][] = [];
  let bytes = 0;
  for (const at of places) {
    const entry = entries[at];
    if (!entry) continue;
    const size = entryBytes(entry);
    const chunk = chunks.at(-1);
    if (chunk && chunk.length < MAX_ENTRIES && bytes + size <= MAX_BYTES) {
      chunk.push(at);
      bytes += size;
    } else {
      chunks.push([at]);
      bytes = size;
    }
  }
  return chunks;
}
