import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { transact } from '../../../packages/kit/aws/dynamodb.js';
import type { Evolution } from '../../../packages/kit/decider/decider.js';
import { DynamoDbEventStore } from '../../../packages/kit/event-store/dynamodb-event-store.js';
import { AggregateDeleted } from '../../../packages/kit/event-store/event-store.js';
import { noEffect } from '../../../packages/kit/idempotent-consumer/handle-command.js';
import { on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import type { EventOf, ServiceContract } from '../../../packages/kit/messages/contract.js';
import { subscribe } from '../../../packages/kit/messages/subscriptions.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { buildContractRecord, faultsBetween } from '../../../tools/release/contract-record.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import {
  buildTrace,
  countedEvent,
  evolution,
  type Tally,
  type TallyEvent,
  tallyContract,
} from '../../support/tally.js';

/**
 * The way of event-store/README.md, "Rename or remove an event type, or an aggregate": `Counted` becomes `Added`, in two
 * releases. A removed type is the same without its successor.
 */

inProcessDynamoDb({ tallies: ['pk', 'sk'] });
const feedShards = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];

const added = { version: 1, data: z.object({ amount: z.int() }) } as const;
/** The first of the two releases: it reads the new type, and still writes the old one. */
const readingContract = {
  service: 'tallies',
  events: { ...tallyContract.events, Added: { ...added, writes: 0 } },
} as const;
/** The second one: it writes the new type, and only reads the old one. */
const writingContract = {
  service: 'tallies',
  events: { ...tallyContract.events, Counted: { ...tallyContract.events.Counted, writes: 0 }, Added: added },
} as const;
type RenamedEvent = EventOf<typeof writingContract>;

const renamed: Evolution<Tally, RenamedEvent> = {
  ...evolution(),
  evolve: (tally, event) => evolution().evolve(tally, event.type === 'Added' ? countedEvent(event.data.amount) : event),
};

const storeOf = <Event extends TallyEvent | RenamedEvent>(
  contract: ServiceContract,
  rules: Evolution<Tally, Event>,
  aggregate = 'Tally',
) => new DynamoDbEventStore({ table: 'tallies', aggregate, feedShards, contract }, rules);

const before = storeOf(tallyContract, evolution());
const reading = storeOf(readingContract, renamed);
const writing = storeOf(writingContract, renamed);

async function append<Event extends TallyEvent | RenamedEvent>(
  store: ReturnType<typeof storeOf<Event>>,
  id: string,
  events: readonly Event[],
) {
  await store.append(store.buildCommit(await store.load(id), events, buildTrace(randomUUID())));
}

const add = (amount: number): RenamedEvent => ({ type: 'Added', data: { amount } });

describe('an event type that gets another name in two releases', () => {
  test('a renamed type is compatible from each release to the next one, and a type that is left out is not', () => {
    const [first, second, third] = [tallyContract, readingContract, writingContract].map((contract, at) =>
      buildContractRecord(contract, String(at)),
    );
    expect(faultsBetween(first!, second!)).toEqual([]);
    expect(faultsBetween(second!, third!)).toEqual([]);
    const { Counted: _, ...others } = writingContract.events;
    expect(faultsBetween(third!, buildContractRecord({ service: 'tallies', events: others }, '3'))).toEqual([
      'Counted: is gone, but its messages are stored and sent again',
    ]);
  });

  test('a renamed type is not written before all releases can read it, nor under its old name afterwards', async () => {
    const id = randomUUID();
    await append(before, id, [countedEvent(1)]);
    await expect(append(reading, id, [add(2)])).rejects.toThrow('UNKNOWN_TYPE: Added is only read in this release');
    await append(reading, id, [countedEvent(2)]);
    await expect(append(writing, id, [countedEvent(3)])).rejects.toThrow('UNKNOWN_TYPE: Counted is only read');
    expect(await before.load(id)).toMatchObject({ version: 2, state: { sum: 3 } });
  });

  test('a renamed type has one history under both names, with its snapshots, after a rollback too', async () => {
    const id = randomUUID();
    await append(before, id, Array<TallyEvent>(19).fill(countedEvent(1)));
    await append(writing, id, [add(1), add(5)]);
    for (const store of [writing, reading]) {
      expect(await store.load(id)).toMatchObject({ version: 21, state: { sum: 25, events: 21 } });
      expect((await store.loadVersion(id, 19))!.state).toEqual({ sum: 19, events: 19 });
      const { items } = await store.history(id, { commit: 1, shown: 0 }, 100);
      expect(items.slice(18).map(({ type }) => type)).toEqual(['Counted', 'Added', 'Added']);
    }
    expect((await writing.load(id)).commits.at(-1)!.snapshot).toBeDefined();
    await append(reading, id, [countedEvent(1)]);
    expect(await writing.load(id)).toMatchObject({ state: { sum: 26 } });
  });

  test('a renamed type is refused, and never guessed, by a release that does not know it', async () => {
    const id = randomUUID();
    await append(writing, id, [add(1)]);
    await expect(before.load(id)).rejects.toMatchObject({ code: 'NEWER_TYPE' });
  });

  test('one consumer receives a renamed type under both names, each event once', async () => {
    const heard: number[] = [];
    const handle = (amount: number) => {
      heard.push(amount);
      return noEffect;
    };
    const both = subscribe(writingContract, ['Counted', 'Added']);
    const deliver = new InMemoryService('listeners').consumer([
      on(both, { Counted: ({ event }) => handle(event.data.by), Added: ({ event }) => handle(event.data.amount) }),
    ]);
    const old = eventMessage(tallyContract, countedEvent(1));
    const present = eventMessage(writingContract, add(2));
    expect(await deliver(old)).toBe('applied');
    expect(await deliver(present)).toBe('applied');
    expect(await deliver(old)).toBe('duplicate');
    expect(new Set(heard)).toEqual(new Set([1, 2]));
  });
});

describe('an aggregate that gets another name', () => {
  const sums = storeOf(tallyContract, evolution(), 'Sum');

  test('an aggregate with another name is another aggregate: its name is part of the key', async () => {
    const id = randomUUID();
    await append(before, id, [countedEvent(1)]);
    expect(await sums.load(id)).toMatchObject({ version: 0, state: { sum: 0 } });
  });

  test('moves once: its end, and the beginning of its successor with its state, are one transaction', async () => {
    const id = randomUUID();
    await append(before, id, [countedEvent(1), countedEvent(4)]);
    const move = async () => {
      const [old, successor] = [await before.load(id), await sums.load(id)];
      const end = before.buildCommit(old, [{ type: 'Closed', data: {} }], buildTrace('move'));
      const beginning = sums.buildCommit(successor, [countedEvent(old.state.sum)], buildTrace('move'));
      await transact([before.appendWrite(end), sums.appendWrite(beginning)]);
    };
    await move();
    await expect(move()).rejects.toBeInstanceOf(AggregateDeleted);
    expect(await sums.load(id)).toMatchObject({ version: 1, state: { sum: 5 } });
    await expect(append(before, id, [countedEvent(1)])).rejects.toBeInstanceOf(AggregateDeleted);
    expect((await before.loadVersion(id, 2))!.state).toMatchObject({ sum: 5 });
  });
});
