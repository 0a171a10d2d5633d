import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { DynamoDbEventStore } from '../../../packages/kit/event-store/dynamodb-event-store.js';
import { changeOnce } from '../../../packages/kit/idempotent-receiver/change-once.js';
import { createRequestRecord } from '../../../packages/kit/idempotent-receiver/create-request-record.js';
import type { KeyedRequest, SessionHeaders } from '../../../packages/kit/idempotent-receiver/idempotency-key.js';
import { MAX_OPEN_REQUESTS } from '../../../packages/kit/idempotent-receiver/numbered-session.js';
import {
  openSession,
  readSessionTimes,
  SESSION_IDLE_SECONDS,
} from '../../../packages/kit/idempotent-receiver/session.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace, countedEvent, type TallyCommand, tallyContract, tallyDecider } from '../../support/tally.js';

inProcessDynamoDb({ tallies: ['pk', 'sk'], records: ['pk'] });
const records = {
  table: 'records',
  windowSeconds: 35 * 86_400,
  service: 'tallies',
  sessionsPath: '/tallies/sessions',
};
const store = new DynamoDbEventStore(
  {
    table: 'tallies',
    aggregate: 'Tally',
    contract: tallyContract,
    feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }],
  },
  tallyDecider,
);
const client = 'customer:alice';
let sessionId = '';
/** The aggregate that a test's requests change. */
let id = '';

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T12:00:00.000Z') });
  id = randomUUID();
  ({ sessionId } = await openSession(client, records));
});
afterEach(() => vi.useRealTimers());

interface Sent {
  readonly answeredUpTo?: number;
  readonly body?: object;
  readonly as?: string;
  /** Another aggregate, so that only the session is shared. */
  readonly of?: string;
  readonly decide?: TallyCommand;
  readonly meanwhile?: () => Promise<unknown>;
}

const requestOf = (number: number, { answeredUpTo, body = {}, as = client }: Sent): KeyedRequest => ({
  header: undefined,
  client: as,
  method: 'POST',
  path: '/tallies',
  query: {},
  body,
  session: {
    id: sessionId,
    number: String(number),
    answeredUpTo: answeredUpTo === undefined ? undefined : String(answeredUpTo),
  },
});

/** Sends request `number`. `meanwhile`: comes in once, when the session was read and before anything is written. */
function send(number: number, sent: Sent = {}) {
  let { meanwhile } = sent;
  const { decide = () => [countedEvent(1)] } = sent;
  const record = createRequestRecord(requestOf(number, sent), records);
  return changeOnce({
    store,
    id: sent.of ?? id,
    record: {
      ...record,
      claim: async (trigger) => {
        const claim = await record.claim(trigger);
        const now = meanwhile;
        meanwhile = undefined;
        await now?.();
        return claim;
      },
    },
    trace: buildTrace(randomUUID()),
    admit: () => undefined,
    command: () => decide,
  });
}

const rows = async () => (await documentClient.send(new ScanCommand({ TableName: 'records' }))).Items ?? [];
/** The session of this test: the newest, since others are of other tests. */
const row = async () => {
  const opened = (await rows()).filter(({ pk }) => pk === ownPk);
  expect(opened).toHaveLength(1);
  return opened[0]!;
};
let ownPk = '';
const known = new Set<string>();
beforeEach(async () => {
  const all = (await rows()).map(({ pk }) => String(pk));
  ownPk = all.find((pk) => !known.has(pk)) ?? '';
  for (const pk of all) known.add(pk);
});

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const refused = (code: string) => expect.objectContaining({ code });
const effects = async () => (await store.load(id)).version;

describe('a numbered request', () => {
  test('a numbered request is carried out once, and each repeat gets the first answer, also after others', async () => {
    expect(await send(1)).toMatchObject({ replayed: false, loaded: { version: 1 } });
    await send(2, { answeredUpTo: 0 });
    expect(await send(1)).toMatchObject({ replayed: true, loaded: { version: 1 } });
    expect(await send(2, { answeredUpTo: 0 })).toMatchObject({ replayed: true, loaded: { version: 2 } });
    expect(await effects()).toBe(2);
  });

  test('a numbered request that is sent ten times at once is carried out once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => send(1)));
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(outcomes.map(({ loaded }) => loaded.version)).toEqual(Array(10).fill(1));
    expect(await effects()).toBe(1);
  });

  test('a numbered request that changes nothing is recorded, and stays its answer', async () => {
    await send(1);
    expect(await send(2, { decide: () => [] })).toMatchObject({ replayed: false, loaded: { version: 1 } });
    expect(await send(2)).toMatchObject({ replayed: true, loaded: { version: 1 } });
  });

  test('a refused request is not recorded: its number is free', async () => {
    const refuse = () => {
      throw new Error('not now');
    };
    await expect(send(1, { decide: refuse })).rejects.toThrow('not now');
    expect(await send(1, { body: { other: true } })).toMatchObject({ replayed: false });
    // Now that it has succeeded, a refusal would be its own success seen again.
    expect(await send(1, { body: { other: true }, decide: refuse })).toMatchObject({ replayed: true });
  });

  test('a request with another content than before is refused', async () => {
    await send(1);
    await expect(send(1, { body: { other: true } })).rejects.toEqual(refused('key-reused'));
    expect(await effects()).toBe(1);
  });

  test('a request is up to ten in front of the last answer that the client has, and no further', async () => {
    await expect(send(MAX_OPEN_REQUESTS + 1, { answeredUpTo: 0 })).rejects.toEqual(refused('number-out-of-range'));
    const numbers = Array.from({ length: MAX_OPEN_REQUESTS }, (_, at) => at + 1);
    for (const number of numbers.toReversed()) await send(number, { answeredUpTo: 0 });
    expect(Object.keys((await row()).answers)).toHaveLength(MAX_OPEN_REQUESTS);
    await send(MAX_OPEN_REQUESTS + 1, { answeredUpTo: 1 });
    expect(await effects()).toBe(MAX_OPEN_REQUESTS + 1);
  });

  test('a request says by default that the one before was answered, whose answer is deleted for good', async () => {
    for (const number of [1, 2, 3]) await send(number);
    expect(await row()).toMatchObject({ answeredUpTo: 2, answers: { 3: { version: 3 } } });
    expect(Object.keys((await row()).answers)).toEqual(['3']);
    for (const number of [1, 2]) await expect(send(number)).rejects.toEqual(refused('number-out-of-range'));
    await expect(send(2, { answeredUpTo: 0 })).rejects.toEqual(refused('number-out-of-range'));
    expect(await effects()).toBe(3);
  });

  test('one request may confirm several answers, and all of them are deleted', async () => {
    for (const number of [1, 2, 3]) await send(number, { answeredUpTo: 0 });
    expect(Object.keys((await row()).answers)).toEqual(['1', '2', '3']);
    await send(4, { answeredUpTo: 3 });
    expect(Object.keys((await row()).answers)).toEqual(['4']);
  });

  test('a client may leave numbers out', async () => {
    await send(5);
    await send(1_000_000);
    expect(await row()).toMatchObject({ answeredUpTo: 999_999 });
    expect(await effects()).toBe(2);
  });

  test('a request that says that its own answer is there is refused', async () =>
    expect(send(2, { answeredUpTo: 2 })).rejects.toEqual(refused('number-out-of-range')));

  test('a request does not move the session back, whatever comes between its reading and its writing', async () => {
    for (const number of [1, 2, 3]) await send(number);
    // 4 and 5 are carried out, answered and forgotten; an old 6, which knew of 3 answers only, comes in late.
    const meanwhile = async () => {
      await send(4);
      await send(5);
      await send(7, { answeredUpTo: 5 });
    };
    await send(6, { answeredUpTo: 3, meanwhile, of: randomUUID() });
    expect(await row()).toMatchObject({ answeredUpTo: 5 });
    for (const number of [4, 5]) {
      await expect(send(number, { answeredUpTo: 3 })).rejects.toEqual(refused('number-out-of-range'));
    }
    expect(await effects()).toBe(6);
  });

  test('a request that is acknowledged just before its writing is not answered again', async () => {
    await send(3, { answeredUpTo: 2, meanwhile: () => send(1, { answeredUpTo: 0 }), of: randomUUID() });
    expect(await row()).toMatchObject({ answeredUpTo: 2, answers: { 1: {}, 3: {} } });
    await expect(send(1, { answeredUpTo: 0 })).rejects.toEqual(refused('number-out-of-range'));
    await send(4, { answeredUpTo: 2, of: randomUUID() });
    expect(Object.keys((await row()).answers)).toEqual(['3', '4']);
    expect(await effects()).toBe(1);
  });

  test('a request that the session has passed between its reading and its writing is refused', async () => {
    const late = send(1, { meanwhile: () => send(3, { answeredUpTo: 2 }) });
    await expect(late).rejects.toEqual(refused('number-out-of-range'));
    expect(await effects()).toBe(1);
  });
});

describe('a session', () => {
  test('names its service and its end, and keeps neither its id nor its client', async () => {
    const { sessionId: other, expiresAt } = await openSession(client, records);
    expect(other).toMatch(/^tallies_[0-9a-f-]{36}$/);
    expect(expiresAt).toBe('2026-11-21T13:00:00.000Z');
    const kept = JSON.stringify(await rows());
    expect(kept).not.toContain(other);
    expect(kept).not.toContain('alice');
  });

  test("an unknown session, or another client's, takes no request, and a request does not create it", async () => {
    const before = (await rows()).length;
    await expect(send(1, { as: 'customer:bob' })).rejects.toEqual(refused('session-not-open'));
    sessionId = 'tallies_made-up';
    await expect(send(1)).rejects.toEqual(refused('session-not-open'));
    expect(await rows()).toHaveLength(before);
    expect(await effects()).toBe(0);
  });

  test.each([
    ['of another service', 'others_made-up', 'this session belongs to another service'],
    ['that is not open', 'tallies_made-up', 'you have no open session with this id'],
  ])('%s is another session, and the answer says by which route one is opened here', async (_, id, what) => {
    sessionId = id;
    const detail = `${what}: open a new one by POST /tallies/sessions`;
    await expect(send(1)).rejects.toMatchObject({ code: 'session-not-open', detail });
  });

  test('ends an hour after its last accepted request; what it carried out is still answered', async () => {
    pass(SESSION_IDLE_SECONDS - 1);
    await send(1);
    pass(SESSION_IDLE_SECONDS - 1);
    await send(2, { answeredUpTo: 0 });
    const { idleUntil, expiresAt } = await row();
    expect(idleUntil).toBe(Math.floor(Date.now() / 1000) + SESSION_IDLE_SECONDS);
    expect(expiresAt).toBe(idleUntil + records.windowSeconds);
    pass(SESSION_IDLE_SECONDS + 59);
    // An earlier try may still take effect.
    await expect(send(3)).rejects.toMatchObject({ code: 'in-progress' });
    pass(1);
    // DynamoDB deletes it weeks later: until then it is there, and closed.
    await expect(send(3)).rejects.toEqual(refused('session-not-open'));
    expect(await send(2, { answeredUpTo: 0 })).toMatchObject({ replayed: true, loaded: { version: 2 } });
    expect(await effects()).toBe(2);
  });

  test('counts a repeat as an access, and shows its client when that was', async () => {
    await send(1);
    pass(50 * 60);
    expect(await send(1)).toMatchObject({ replayed: true });
    const { idleUntil, expiresAt } = await row();
    expect(idleUntil).toBe(Date.now() / 1000 + SESSION_IDLE_SECONDS);
    expect(expiresAt).toBe(idleUntil + records.windowSeconds);
    expect(await readSessionTimes(client, sessionId, records)).toEqual({
      lastAccessAt: '2026-11-21T12:50:00.000Z',
      expiresAt: '2026-11-21T13:50:00.000Z',
    });
    pass(20 * 60);
    expect(await send(2)).toMatchObject({ replayed: false });
  });

  test('a session is known to its client only', async () => {
    expect(await readSessionTimes('customer:bob', sessionId, records)).toBeUndefined();
    expect(await readSessionTimes(client, 'tallies_made-up', records)).toBeUndefined();
  });

  test('a repeat does not reopen a session that has ended', async () => {
    await send(1);
    const before = await row();
    pass(SESSION_IDLE_SECONDS);
    expect(await send(1)).toMatchObject({ replayed: true });
    expect(await row()).toEqual(before);
    await expect(send(2)).rejects.toMatchObject({ code: 'in-progress' });
  });

  test('a repeat at a function whose clock is slow does not move the session back', async () => {
    await send(1);
    pass(10);
    await send(2, { answeredUpTo: 0 });
    const before = await row();
    pass(-5);
    expect(await send(1)).toMatchObject({ replayed: true });
    expect(await row()).toEqual(before);
  });

  test('a new request at a slow function does not move the session back, whatever was repeated since', async () => {
    await send(1, { answeredUpTo: 0 });
    let repeated: unknown;
    const meanwhile = async () => {
      pass(10);
      await send(1, { answeredUpTo: 0 });
      repeated = (await row()).idleUntil;
      pass(-15);
    };
    expect(await send(2, { answeredUpTo: 0, meanwhile, of: randomUUID() })).toMatchObject({ replayed: false });
    expect(await row()).toMatchObject({ idleUntil: repeated, answers: { 2: {} } });
  });

  test('answers a repeat whose access can not be stored', async () => {
    await send(1);
    pass(60);
    const before = await row();
    const original = documentClient.send.bind(documentClient);
    const refusing = vi.spyOn(documentClient, 'send').mockImplementation(async (command: unknown) => {
      if (command instanceof UpdateCommand) throw new Error('throttled');
      return original(command as PutCommand);
    });
    expect(await send(1)).toMatchObject({ replayed: true });
    refusing.mockRestore();
    expect(await row()).toEqual(before);
  });

  test('a session that ends or is deleted between its reading and its writing refuses the request', async () => {
    const ends = async () => pass(SESSION_IDLE_SECONDS + 60);
    await expect(send(1, { meanwhile: ends })).rejects.toEqual(refused('session-not-open'));
    ({ sessionId } = await openSession(client, records));
    const isNew = (await rows()).map(({ pk }) => String(pk)).find((pk) => !known.has(pk));
    const goes = () => documentClient.send(new DeleteCommand({ TableName: 'records', Key: { pk: isNew } }));
    await expect(send(1, { meanwhile: goes })).rejects.toEqual(refused('session-not-open'));
    expect(await effects()).toBe(0);
  });

  test('a session whose opening DynamoDB answered twice is one session', async () => {
    const put = vi.spyOn(documentClient, 'send').mockImplementationOnce(async (command: unknown) => {
      const { input } = command as PutCommand;
      await documentClient.send(new PutCommand(input));
      return documentClient.send(new PutCommand(input));
    });
    const opened = await openSession(client, records);
    put.mockRestore();
    ({ sessionId } = opened);
    expect(await send(1)).toMatchObject({ replayed: false });
  });
});

describe('the key and the number of a request', () => {
  const record = (session: Partial<SessionHeaders>, header?: string) =>
    createRequestRecord(
      { ...requestOf(1, {}), header, session: { id: sessionId, number: '1', answeredUpTo: undefined, ...session } },
      records,
    );

  test.each([
    ['no session', { id: undefined }, 'Session-Id'],
    ['a session that isn’t text', { id: 'a b' }, 'Session-Id'],
    ['no number', { number: undefined }, 'Request-Number'],
    ['number 0', { number: '0' }, 'Request-Number'],
    ['a number with a zero in front', { number: '01' }, 'Request-Number'],
    ['a fraction', { number: '1.5' }, 'Request-Number'],
    ['a number without an end', { number: '9'.repeat(13) }, 'Request-Number'],
    ['answers below none', { answeredUpTo: '-1' }, 'Answered-Up-To'],
    ['answers that are no number', { answeredUpTo: 'all' }, 'Answered-Up-To'],
  ])('a request with %s is 400', (_, session, header) =>
    expect(() => record(session)).toThrow(
      expect.objectContaining({ code: 'invalid-request', extra: { errors: [expect.objectContaining({ header })] } }),
    ),
  );

  test('a request has a key or a number, never both', () =>
    expect(() => record({}, 'k1')).toThrow(
      expect.objectContaining({
        code: 'invalid-request',
        extra: { errors: [{ header: 'Idempotency-Key', detail: 'expected none beside Session-Id' }] },
      }),
    ));
  test('a request without a key and without a number is refused', () => {
    const { session: _, ...neither } = requestOf(1, {});
    expect(() => createRequestRecord(neither, records)).toThrow(refused('key-missing'));
  });
  test('names what it makes: each number of each session another thing', async () => {
    const scopes = [record({}).scope, record({ number: '2' }).scope, record({ id: 'tallies_other' }).scope];
    expect(new Set(scopes).size).toBe(3);
    expect(record({ answeredUpTo: '0' }).scope).toBe(scopes[0]);
  });
});
