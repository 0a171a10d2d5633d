import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DynamoDbEventStore } from '../../../lambdas/patterns/event-store/dynamodb-event-store.js';
import { changeOnce } from '../../../lambdas/patterns/idempotent-receiver/change-once.js';
import { createOnce } from '../../../lambdas/patterns/idempotent-receiver/create-once.js';
import type { IdempotencyKey } from '../../../lambdas/patterns/idempotent-receiver/idempotency-key.js';
import { keyRecord } from '../../../lambdas/patterns/idempotent-receiver/key-record.js';
import type { Problem } from '../../../lambdas/platform/errors.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { counted, evolution, type Tally, type TallyEvent, tallyContract, traceOf } from '../../support/tally.js';

inProcessDynamoDb({ tallies: ['pk', 'sk'], records: ['pk'] });
const records = { table: 'records', windowSeconds: 3600, service: 'tallies', sessionsPath: '/tallies/sessions' };
const feedShards = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];
const store = new DynamoDbEventStore<Tally, TallyEvent>(
  { table: 'tallies', aggregate: 'Tally', contract: tallyContract, feedShards },
  evolution(),
);

const newKey = (change: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  scope: randomUUID().replaceAll('-', '').repeat(2),
  requestHash: 'the same',
  expired: false,
  ...change,
});

interface Change {
  readonly id: string;
  readonly key?: IdempotencyKey;
  readonly decide?: (sum: number) => readonly TallyEvent[];
  readonly store?: typeof store;
  readonly admit?: () => void;
}
const change = ({ id, key = newKey(), decide = () => [counted(1)], ...more }: Change) =>
  changeOnce({
    store,
    id,
    record: keyRecord(key, records),
    trace: traceOf(randomUUID()),
    admit: () => {},
    decide: ({ state }) => decide(state.sum),
    ...more,
  });

/** A store with a rival who comes in between a load and what follows it, so many times. */
const overtaken = (times: number): typeof store => {
  let left = times;
  return Object.assign(Object.create(store), {
    load: async (id: string) => {
      const loaded = await store.load(id);
      if (left-- > 0) await change({ id });
      return loaded;
    },
  });
};

async function tallied(events: number): Promise<string> {
  const id = randomUUID();
  await store.append(store.commit(await store.load(id), Array(events).fill(counted(1)), traceOf('setup')));
  return id;
}

describe('a change', () => {
  test('under one key happens once, and each repeat gets the first answer, also after others', async () => {
    const id = await tallied(1);
    const key = newKey();
    expect(await change({ id, key })).toMatchObject({ replayed: false, loaded: { version: 2, state: { sum: 2 } } });
    await change({ id });
    await change({ id });
    expect(await change({ id, key })).toMatchObject({ replayed: true, loaded: { version: 2, state: { sum: 2 } } });
    expect(await store.load(id)).toMatchObject({ version: 4 });
  });

  test('that is repeated is decided once more, and no further: its record outranks a lost race', async () => {
    const id = await tallied(1);
    const key = newKey();
    let decisions = 0;
    const decide = () => {
      decisions += 1;
      return [counted(1)];
    };
    await change({ id, key, decide });
    await change({ id, key, decide });
    expect(decisions).toBe(2);
  });

  test('ten times at once under one key happens once', async () => {
    const id = await tallied(1);
    const key = newKey();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => change({ id, key })));
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(outcomes.map(({ loaded }) => loaded.version)).toEqual(Array(10).fill(2));
    expect(await store.load(id)).toMatchObject({ version: 2 });
  });

  test('by three at once under keys of their own happens three times, decided one after the other', async () => {
    const id = await tallied(1);
    const seen: number[] = [];
    const decide = (sum: number) => {
      seen.push(sum);
      return [counted(sum)];
    };
    await Promise.all([change({ id, decide }), change({ id, decide }), change({ id, decide })]);
    // 1 + 1, + 2, + 4: nobody decided on a state that another had changed.
    expect(await store.load(id)).toMatchObject({ version: 4, state: { sum: 8 } });
    expect(seen).toEqual(expect.arrayContaining([1, 2, 4]));
  });

  test('that changes nothing is recorded, and stays its answer when it would change something', async () => {
    const id = await tallied(1);
    const key = newKey();
    expect(await change({ id, key, decide: () => [] })).toMatchObject({ replayed: false, loaded: { version: 1 } });
    expect(await change({ id, key })).toMatchObject({ replayed: true, loaded: { version: 1 } });
    expect(await store.load(id)).toMatchObject({ version: 1 });
  });

  test('that changes nothing is decided again where something happened meanwhile', async () => {
    const id = await tallied(1);
    const decide = (sum: number) => (sum >= 2 ? [counted(100)] : []);
    const outcome = await change({ id, decide, store: overtaken(1) });
    expect(outcome).toMatchObject({ replayed: false, loaded: { version: 3, state: { sum: 102 } } });
  });

  test('that loses every race is a conflict, with the version it expected and the one it found', async () => {
    const id = await tallied(1);
    const conflict = { code: 'conflict', extra: { versions: { expectedVersion: 5, foundVersion: 6 } } };
    for (const decide of [() => [counted(100)], () => []]) {
      const other = await tallied(1);
      await expect(change({ id: other, decide, store: overtaken(5) })).rejects.toMatchObject(conflict);
      expect(await store.load(other)).toMatchObject({ version: 6, state: { sum: 6 } });
    }
    const problem = await change({ id, store: overtaken(5) }).catch((error: Problem) => error.toJSON('urn:x'));
    expect(problem).toMatchObject({ status: 409, expectedVersion: 5, foundVersion: 6 });
  });

  test('that nobody may see is neither looked up nor told', async () => {
    const id = await tallied(1);
    const key = newKey();
    await change({ id, key });
    const admit = () => {
      throw new Error('not yours');
    };
    await expect(change({ id, key, admit })).rejects.toThrow('not yours');
  });

  test('that is refused is not recorded: it may succeed later', async () => {
    const id = await tallied(1);
    const key = newKey();
    const refuse = () => {
      throw new Error('not now');
    };
    await expect(change({ id, key, decide: refuse })).rejects.toThrow('not now');
    expect(await change({ id, key })).toMatchObject({ replayed: false, loaded: { version: 2 } });
    // Now that it has succeeded, a refusal would be its own success seen again.
    expect(await change({ id, key, decide: refuse })).toMatchObject({ replayed: true, loaded: { version: 2 } });
  });

  test('under the key of another request is refused', async () => {
    const id = await tallied(1);
    const key = newKey();
    await change({ id, key });
    const other = { ...key, requestHash: 'another' };
    await expect(change({ id, key: other })).rejects.toMatchObject({ code: 'key-reused' });
    expect(await store.load(id)).toMatchObject({ version: 2 });
  });

  test('under an issued key that is too old is refused at its first use, and answered as a repeat', async () => {
    const id = await tallied(1);
    const key = newKey();
    await expect(change({ id, key: { ...key, expired: true } })).rejects.toMatchObject({ code: 'key-expired' });
    await change({ id, key });
    expect(await change({ id, key: { ...key, expired: true } })).toMatchObject({
      replayed: true,
      loaded: { version: 2 },
    });
  });
});

describe('a creation', () => {
  const create = (key: IdempotencyKey, trigger: string = randomUUID()) =>
    createOnce({
      store,
      initialState: evolution().initialState,
      key,
      trace: traceOf(trigger),
      decide: () => [counted(7)],
    });

  test('under one key happens once, however many ask at once', async () => {
    const key = newKey();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => create(key)));
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(outcomes.map(({ loaded }) => loaded.id)).size).toBe(1);
    expect(await store.load(outcomes[0]!.loaded.id)).toMatchObject({ version: 1, state: { sum: 7 } });
  });

  test("the same request again, as the SDK's retry, is not a replay", async () => {
    const key = newKey();
    await create(key, 'this request');
    expect(await create(key, 'this request')).toMatchObject({ replayed: false });
    expect(await create(key, 'another')).toMatchObject({ replayed: true });
  });

  test('under an issued key that is too old is refused at its first use, and answered as a repeat for ever', async () => {
    const key = newKey();
    await expect(create({ ...key, expired: true })).rejects.toMatchObject({ code: 'key-expired' });
    await create(key);
    expect(await create({ ...key, expired: true })).toMatchObject({ replayed: true, loaded: { version: 1 } });
    await expect(create({ ...key, expired: true, requestHash: 'another' })).rejects.toMatchObject({
      code: 'key-reused',
    });
  });
});
