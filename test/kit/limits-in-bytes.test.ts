import { EventBridgeClient, type PutEventsCommandInput } from '@aws-sdk/client-eventbridge';
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SQS_BATCH, splitIntoBatches, utf8Bytes } from '../../packages/kit/aws/batches.js';
import { checkItemSize, checkTransactionSize } from '../../packages/kit/aws/dynamodb-limits.js';
import type { Item } from '../../packages/kit/aws/items.js';
import { publish } from '../../packages/kit/outbox/publish.js';
import { itemBytes, MAX_ITEM_BYTES, MAX_TRANSACTION_BYTES } from '../../packages/simulator/services/dynamodb/size.js';
import { putEvents } from '../../packages/simulator/services/events/put-events.js';
import { QUEUE_OPERATIONS } from '../../packages/simulator/services/sqs/messages.js';
import { createCloud } from '../../packages/simulator/support/clouds.js';

/**
 * AWS counts bytes of UTF-8, and a character has up to four. Whatever the kit sends at once stays below the limits of the
 * simulator's models, in any script.
 */

/** Characters of one to four bytes. */
const letter = fc.constantFrom('a', '"', 'é', 'Ж', '中', 'ह', '😀');
/** A text of about so many characters of any script. */
const text = (most: number) =>
  fc
    .tuple(letter, letter, fc.integer({ min: 0, max: most }))
    .map(([one, other, length]) => (one + other).repeat(Math.ceil(length / 2)));
const RUNS = { numRuns: 25, endOnFailure: true };

test('each call of the relay has a size that EventBridge takes', () =>
  fc.assert(
    fc.asyncProperty(fc.array(text(200_000), { minLength: 1, maxLength: 25 }), async (details) => {
      const { events, world } = createCloud({});
      const client = new EventBridgeClient({});
      let calls = 0;
      client.send = async ({ input }: { readonly input: PutEventsCommandInput }) => {
        calls += 1;
        return putEvents(events, { Entries: input.Entries }, world.now);
      };
      // A commit, of which each entry is a part, has at most 400 KB.
      const Details = details.map((detail) => JSON.stringify({ detail: detail.slice(0, 90_000) }));
      const entries = Details.map((Detail) => ({ Source: 'shop.läden', DetailType: 'Sold', Detail }));
      const outcomes = await publish(client, 'bus', entries, () => true);
      expect(outcomes.map(({ state }) => state)).toEqual(entries.map(() => 'sent'));
      const bytes = Details.reduce((sum, detail) => sum + utf8Bytes(detail), 0);
      expect(calls).toBeLessThanOrEqual(Math.ceil(entries.length / 10) + Math.ceil(bytes / (512 * 1024)));
    }),
    RUNS,
  ));

test('each batch of messages has a size that SQS takes, and none is left out', () => {
  const { queues } = createCloud({ Work: { Type: 'AWS::SQS::Queue', Properties: { MaximumMessageSize: 1_048_576 } } });
  const [queue] = [...queues.values()];
  fc.assert(
    fc.property(fc.array(text(150_000), { minLength: 1, maxLength: 25 }), (texts) => {
      const bodies = texts.map((one) => `-${one}`);
      const batches = splitIntoBatches(bodies, utf8Bytes, SQS_BATCH);
      expect(batches.flat()).toEqual(bodies);
      for (const batch of batches) {
        const Entries = batch.map((body, at) => ({ Id: String(at), MessageBody: body }));
        expect(QUEUE_OPERATIONS.SendMessageBatch!(queue!, { Entries } as never)).toMatchObject({ Failed: [] });
      }
    }),
    RUNS,
  );
});

test('an entry above the limit is alone in its batch', () =>
  expect(splitIntoBatches([1, 2_000_000, 1, 1], (size) => size, SQS_BATCH)).toEqual([[1], [2_000_000], [1, 1]]));

const sizeOf = (of: Item): number => itemBytes(marshall(of) as never);

/** Whether a check lets its argument pass. */
function passes<Argument>(check: (of: Argument) => void, of: Argument): boolean {
  try {
    check(of);
    return true;
  } catch {
    return false;
  }
}

describe('DynamoDB', () => {
  const value = fc.oneof(
    text(300),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 50 }),
    fc.array(text(20), { maxLength: 5 }),
    fc.dictionary(text(10).filter(Boolean), text(20), { maxKeys: 5 }),
  );
  const item = fc.dictionary(text(20).filter(Boolean), value, { maxKeys: 8 });

  test('an item is refused if and only if its size is above the limit', () =>
    fc.assert(
      fc.property(item, letter, fc.integer({ min: -6, max: 6 }), (some, character, more) => {
        const rest = MAX_ITEM_BYTES - sizeOf({ ...some, text: '' }) + more;
        const filled = character.repeat(Math.floor(rest / utf8Bytes(character)));
        const full: Item = { ...some, text: filled + 'a'.repeat(rest - utf8Bytes(filled)) };
        expect(passes(checkItemSize, full)).toBe(sizeOf(full) <= MAX_ITEM_BYTES);
      }),
      RUNS,
    ));

  test('a transaction is refused if its items together are above the limit', () =>
    fc.assert(
      fc.property(
        letter,
        fc.integer({ min: 9, max: 13 }),
        fc.integer({ min: 250_000, max: 380_000 }),
        (character, count, bytes) => {
          const Item = { pk: 'a', text: character.repeat(Math.floor(bytes / utf8Bytes(character))) };
          const writes = Array.from({ length: count }, () => ({ Put: { TableName: 'table', Item } }));
          const size = count * sizeOf(Item);
          expect(passes(checkTransactionSize, writes)).toBe(size <= MAX_TRANSACTION_BYTES);
        },
      ),
      RUNS,
    ));
});
