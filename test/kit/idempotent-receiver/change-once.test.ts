import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { AppProblem } from '../../../lambdas/problems.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { Throttled } from '../../../packages/kit/aws/write-conflict.js';
import { DynamoDbEventStore } from '../../../packages/kit/event-store/dynamodb-event-store.js';
import { Problem } from '../../../packages/kit/http/errors.js';
import { type ChangeOnce, changeOnce } from '../../../packages/kit/idempotent-receiver/change-once.js';
import { type Alongside, createOnce } from '../../../packages/kit/idempotent-receiver/create-once.js';
import type { IdempotencyKey } from '../../../packages/kit/idempotent-receiver/idempotency-key.js';
import { createKeyRecord } from '../../../packages/kit/idempotent-receiver/key-record.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import {
  buildTrace,
  countedEvent,
  type Tally,
  type TallyCommand,
  type TallyEvent,
  tallyContract,
  tallyDecider,
} from '../../support/tally.js';

inProcessDynamoDb({ tallies: ['pk', 'sk'], records: ['pk'] });
const records = { table: 'records', windowSeconds: 3600, service: 'tallies', sessionsPath: '/tallies/sessions' };
const feedShards = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];
const store = new DynamoDbEventStore(
  { table: 'tallies', aggregate: 'Tally', contract: tallyContract, feedShards },
  tallyDecider,
);

const newKey = (change: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  scope: randomUUID().replaceAll('-', '').repeat(2),
  requestHash: 'the same',
  formerHash: 'the same as 0.2.0 made it',
  ...change,
});

interface Change {
  readonly id: string;
  readonly key?: IdempotencyKey;
  readonly decide?: TallyCommand;
  readonly store?: typeof store;
  readonly admit?: () => void;
  readonly alongside?: NonNullable<ChangeOnce<Tally, TallyCommand, TallyEvent>['alongside']>;
}
const change = ({ id, key = newKey(), decide = () => [countedEvent(1)], ...more }: Change) =>
  changeOnce({
    store,
    id,
    record: createKeyRecord(key, records),
    trace: buildTrace(randomUUID()),
    admit: () => {},
    command: () => decide,
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
  await store.append(store.buildCommit(await store.load(id), Array(events).fill(countedEvent(1)), buildTrace('setup')));
  return id;
}

/** The first try may still take effect: a final refusal now would let the client order twice. */
const stillUnderWay = (retryAfterSeconds: number) =>
  expect.objectContaining({ code: 'in-progress', extra: expect.objectContaining({ retryAfterSeconds }) });

describe('a change', () => {
  test('a change under one key happens once, and each repeat gets the first answer, also after others', async () => {
    const id = await tallied(1);
    const key = newKey();
    expect(await change({ id, key })).toMatchObject({ replayed: false, loaded: { version: 2, state: { sum: 2 } } });
    await change({ id });
    await change({ id });
    expect(await change({ id, key })).toMatchObject({ replayed: true, loaded: { version: 2, state: { sum: 2 } } });
    expect(await store.load(id)).toMatchObject({ version: 4 });
  });

  test('a repeated change is decided once more: its record outranks a lost race', async () => {
    const id = await tallied(1);
    const key = newKey();
    let decisions = 0;
    const decide = () => {
      decisions += 1;
      return [countedEvent(1)];
    };
    await change({ id, key, decide });
    await change({ id, key, decide });
    expect(decisions).toBe(2);
  });

  test('a change that is sent ten times at once under one key happens once', async () => {
    const id = await tallied(1);
    const key = newKey();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => change({ id, key })));
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(outcomes.map(({ loaded }) => loaded.version)).toEqual(Array(10).fill(2));
    expect(await store.load(id)).toMatchObject({ version: 2 });
  });

  test('a change by three callers at once with keys of their own happens three times, one after the other', async () => {
    const id = await tallied(1);
    const seen: number[] = [];
    const decide = (sum: number) => {
      seen.push(sum);
      return [countedEvent(sum)];
    };
    await Promise.all([change({ id, decide }), change({ id, decide }), change({ id, decide })]);
    // 1 + 1, + 2, + 4: nobody decided on a state that another had changed.
    expect(await store.load(id)).toMatchObject({ version: 4, state: { sum: 8 } });
    expect(seen).toEqual(expect.arrayContaining([1, 2, 4]));
  });

  test('a change without an effect is recorded, and stays its answer when it would change something', async () => {
    const id = await tallied(1);
    const key = newKey();
    expect(await change({ id, key, decide: () => [] })).toMatchObject({ replayed: false, loaded: { version: 1 } });
    expect(await change({ id, key })).toMatchObject({ replayed: true, loaded: { version: 1 } });
    expect(await store.load(id)).toMatchObject({ version: 1 });
  });

  test('a change without an effect is decided again if something happened meanwhile', async () => {
    const id = await tallied(1);
    const decide = (sum: number) => (sum >= 2 ? [countedEvent(100)] : []);
    const outcome = await change({ id, decide, store: overtaken(1) });
    expect(outcome).toMatchObject({ replayed: false, loaded: { version: 3, state: { sum: 102 } } });
  });

  test('a change that DynamoDB throttles in every attempt is no conflict, since there is no other change', async () => {
    const throttling: typeof store = Object.assign(Object.create(store), {
      appendWrite: () => {
        throw new Throttled('too many writes');
      },
    });
    await expect(change({ id: await tallied(1), store: throttling })).rejects.toBeInstanceOf(Throttled);
  });

  test('a change that loses every race is a conflict, with the version it expected and the one it found', async () => {
    const id = await tallied(1);
    const conflict = { code: 'conflict', extra: { versions: { expectedVersion: 5, foundVersion: 6 } } };
    for (const decide of [() => [countedEvent(100)], () => []]) {
      const other = await tallied(1);
      await expect(change({ id: other, decide, store: overtaken(5) })).rejects.toMatchObject(conflict);
      expect(await store.load(other)).toMatchObject({ version: 6, state: { sum: 6 } });
    }
    const problem = await change({ id, store: overtaken(5) }).catch((error: Problem) => error.toJSON('shop', 'x'));
    expect(problem).toMatchObject({ status: 409, expectedVersion: 5, foundVersion: 6 });
  });

  test('a change that its caller may not see is neither looked up nor revealed', async () => {
    const id = await tallied(1);
    const key = newKey();
    await change({ id, key });
    const admit = () => {
      throw new Error('not yours');
    };
    await expect(change({ id, key, admit })).rejects.toThrow('not yours');
  });

  test('a refused change is not recorded: it may succeed later', async () => {
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

  test('a change under the key of another request is refused', async () => {
    const id = await tallied(1);
    const key = newKey();
    await change({ id, key });
    const other = { ...key, requestHash: 'another' };
    await expect(change({ id, key: other })).rejects.toMatchObject({ code: 'key-reused' });
    expect(await store.load(id)).toMatchObject({ version: 2 });
  });

  test('a change under an issued key that is too old is refused at first use, and answered as a repeat', async () => {
    const id = await tallied(1);
    const key = newKey();
    await expect(change({ id, key: { ...key, expiredFor: 59 } })).rejects.toEqual(stillUnderWay(1));
    await expect(change({ id, key: { ...key, expiredFor: 60 } })).rejects.toMatchObject({ code: 'key-expired' });
    await change({ id, key });
    expect(await change({ id, key: { ...key, expiredFor: 60 } })).toMatchObject({
      replayed: true,
      loaded: { version: 2 },
    });
  });
});

describe('a creation', () => {
  const create = (key: IdempotencyKey, trigger: string = randomUUID()) =>
    createOnce({
      store,
      key,
      trace: buildTrace(trigger),
      command: () => () => [countedEvent(7)],
    });

  test('a creation under one key happens once, however many ask at once', async () => {
    const key = newKey();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => create(key)));
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(outcomes.map(({ loaded }) => loaded.id)).size).toBe(1);
    expect(await store.load(outcomes[0]!.loaded.id)).toMatchObject({ version: 1, state: { sum: 7 } });
  });

  test('a creation that the SDK retries is not a replay', async () => {
    const key = newKey();
    await create(key, 'this request');
    expect(await create(key, 'this request')).toMatchObject({ replayed: false });
    expect(await create(key, 'another')).toMatchObject({ replayed: true });
  });

  test('a creation that fails for another reason than a refusal ends with that reason', async () => {
    const gone = new RangeError('the table is gone');
    const broken: typeof store = Object.assign(Object.create(store), { append: () => Promise.reject(gone) });
    const request = { store: broken, key: newKey(), trace: buildTrace('t'), command: () => () => [countedEvent(7)] };
    await expect(createOnce(request)).rejects.toBe(gone);
  });

  test('a creation under an issued key that is too old is refused at first use, and answered as a repeat', async () => {
    const key = newKey();
    await expect(create({ ...key, expiredFor: 1 })).rejects.toEqual(stillUnderWay(59));
    await expect(create({ ...key, expiredFor: 60 })).rejects.toMatchObject({ code: 'key-expired' });
    await create(key);
    expect(await create({ ...key, expiredFor: 60 })).toMatchObject({ replayed: true, loaded: { version: 1 } });
    await expect(create({ ...key, expiredFor: 60, requestHash: 'another' })).rejects.toMatchObject({
      code: 'key-reused',
    });
  });
});

describe('a count that commits alongside', () => {
  /** A counter that takes so many, as a customer's counts of a day. */
  const quota = (most: number) => {
    const Key = { pk: `quota#${randomUUID()}` };
    const alongside = (): Alongside => ({
      writes: [
        {
          Update: {
            TableName: 'records',
            Key,
            UpdateExpression: 'ADD taken :one',
            ConditionExpression: 'attribute_not_exists(taken) OR taken < :most',
            ExpressionAttributeValues: { ':one': 1, ':most': most },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
      ],
      refuse: (found) => {
        throw new Problem(AppProblem['limit-reached'], `taken: ${found?.taken}`);
      },
    });
    const taken = async () =>
      (await documentClient.send(new GetCommand({ TableName: 'records', Key, ConsistentRead: true }))).Item?.taken ?? 0;
    return { alongside, taken };
  };
  const create = (key: IdempotencyKey, { alongside }: ReturnType<typeof quota>) =>
    createOnce({
      store,
      key,
      trace: buildTrace(randomUUID()),
      command: () => () => [countedEvent(7)],
      alongside,
    });
  const kinds = [
    ['a creation', create],
    [
      'a change',
      async (key: IdempotencyKey, { alongside }: ReturnType<typeof quota>) =>
        change({ id: await ofKey(key), key, alongside }),
    ],
  ] as const;
  /** One tally a key, so that changes don't meet at its version. */
  const tallies = new Map<string, Promise<string>>();
  const ofKey = ({ scope }: IdempotencyKey): Promise<string> => {
    const id = tallies.get(scope) ?? tallied(1);
    tallies.set(scope, id);
    return id;
  };

  test.each(kinds)('counts %s once, however often it is repeated', async (_, request) => {
    const counter = quota(5);
    const key = newKey();
    await Promise.all(Array.from({ length: 4 }, () => request(key, counter)));
    expect(await request(key, counter)).toMatchObject({ replayed: true });
    expect(await counter.taken()).toBe(1);
  });

  test.each(kinds)('the limit of a count is never exceeded by %s at once with others', async (_, request) => {
    const counter = quota(3);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => request(newKey(), counter)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'limit-reached', detail: 'taken: 3' });
    }
    expect(await counter.taken()).toBe(3);
  });

  test.each(kinds)('a used-up count refuses %s, and answers the repeat of an earlier one', async (_, request) => {
    const counter = quota(1);
    const key = newKey();
    await request(key, counter);
    const late = newKey();
    await expect(request(late, counter)).rejects.toMatchObject({ code: 'limit-reached' });
    expect(await request(key, counter)).toMatchObject({ replayed: true });
    // A refused request leaves nothing: under the same key it may pass later.
    expect(await request(late, quota(1))).toMatchObject({ replayed: false });
    await expect(request({ ...key, requestHash: 'another' }, counter)).rejects.toMatchObject({ code: 'key-reused' });
  });

  test('leaves a decision without events uncounted', async () => {
    const counter = quota(1);
    const id = await tallied(1);
    await change({ id, decide: () => [], alongside: counter.alongside });
    expect(await counter.taken()).toBe(0);
  });
});
