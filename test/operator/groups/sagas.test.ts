import { BatchWriteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { FailureRecords, recordKey } from '../../../packages/kit/failures/failure-records.js';
import { commitKey } from '../../../packages/kit/messages/commit.js';
import { stuckKey } from '../../../packages/kit/saga/contract.js';
import { compensationIdOf, stepIdOf } from '../../../packages/kit/saga/saga.js';
import { listAuditLog } from '../../../packages/operator/audit-log/audit-log.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { listFailureGroups } from '../../../packages/operator/groups/list.js';
import { commandSagaGroup, type SagaGroupRequest } from '../../../packages/operator/groups/saga-command.js';
import { showSaga } from '../../../packages/operator/sagas/saga-show.js';
import {
  AT,
  at,
  consumer,
  context,
  deliver,
  emptyTrips,
  owner,
  pass,
  receives,
  reply,
  services,
  start,
  store,
  stuck,
} from '../sagas/trips.js';

/** Requests that came to the sagas' consumer. */
let sent: string[];
/** Actions of the participants while the command waits. */
let participants: () => Promise<void>;
let stopAfter: number;
/** How often the command waited. */
let waits: number;
/** Questions to the operator. */
let confirmed: string[];
/** Handles a request that was sent. */
let arrives: (body: string) => Promise<void>;

beforeEach(() => {
  emptyTrips();
  sent = [];
  participants = async () => undefined;
  stopAfter = Number.POSITIVE_INFINITY;
  waits = 0;
  confirmed = [];
  arrives = deliver;
});
afterEach(() => void vi.useRealTimers());

const pageOn = ({ what }: { readonly what: string }) => `runbook, "${what}"`;
const groups = (consumer?: string) => listFailureGroups({ ...context, pageOn }, { consumer });
const ids = async () => ((await groups()).json.groups as { readonly id: string }[]).map(({ id }) => id);

async function command(request: Omit<SagaGroupRequest, 'group' | 'rate' | 'dryRun'>, dryRun = false) {
  const [group = 'none'] = await ids();
  const send = async (_: string, body: string) => {
    sent.push(JSON.parse(body).detail.data.sagaId);
    await arrives(body);
  };
  return commandSagaGroup(
    {
      ...context,
      pageOn,
      send,
      say: () => undefined,
      wait: () => {
        waits++;
        return participants();
      },
      stopped: () => sent.length >= stopAfter,
      place: 'prod at home',
      confirm: async (what) => void confirmed.push(what),
    },
    { ...request, group: group.slice(0, 7), rate: 10, dryRun } as SagaGroupRequest,
  );
}
const retry = (dryRun = false) => command({ action: 'retry' }, dryRun);
const resolve = (more: { readonly before?: string } = {}) =>
  command({ action: 'resolve', note: 'paid back by transfer', ...more } as never);
const statusOf = async (id: string) => (await store.load(id)).state.status;

/** Sagas that are stuck, a minute apart. */
async function stuckSagas(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await stuck(`t${n}`);
    pass(60);
  }
}
/** Many more sagas of a type are in its list, behind those whose ids begin with `t`. */
async function manyMore(type: string, count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, n) => ({
    PutRequest: { Item: { pk: stuckKey(type), sk: `z${n}` } },
  }));
  for (let from = 0; from < count; from += 25) {
    await documentClient.send(new BatchWriteCommand({ RequestItems: { trips: items.slice(from, from + 25) } }));
  }
}
/** A commit of a saga that this release can't read. */
const spoil = (id: string) =>
  documentClient.send(new PutCommand({ TableName: 'trips', Item: { pk: `TripSaga#${id}`, sk: commitKey(90) } }));

/** Lets each saga that waits for the cancellation of its flight have an answer, once for each time that it was asked. */
function cancelled(outcome: 'DONE' | 'REFUSED'): () => Promise<void> {
  let answered = 0;
  return async () => {
    const asked = sent.slice(answered);
    answered = sent.length;
    for (const id of asked) await receives(id, reply(compensationIdOf(id, 'book-flight'), outcome, 'TAKEN_OFF'));
  };
}

describe('failures groups', () => {
  test('lists stuck sagas by their step and reason, with the commands that end them', async () => {
    await stuckSagas(3);
    const upTo = ['check-passport', 'book-flight'].map((name) => reply(stepIdOf('other', name), 'DONE'));
    await receives(
      'other',
      start('other'),
      ...upTo,
      { type: 'Cancel' },
      reply(compensationIdOf('other', 'book-hotel'), 'REFUSED'),
    );
    const { exitCode, text, json } = await groups();
    expect(exitCode).toBe(4);
    expect(text).toContain(`4 stuck sagas in 2 groups, 4 in the last hour

${(await ids())[0]?.slice(0, 7)}  3 stuck sagas  trips/trips-saga
  SagaStuck: compensation of book-flight: TAKEN_OFF
  stuck    first 3 min ago, last 60 s ago; in the last hour 3, in the hour before 0
  about    TripSaga/t2, TripSaga/t1, TripSaga/t0
  sample   trips sagas show t2
  see      runbook, "stuck saga"
`);
    const [first = ''] = await ids();
    expect(text).toContain(`  trips sagas retry --group ${first.slice(0, 7)}\n`);
    expect(text).toContain(
      `  trips sagas resolve --group ${first.slice(0, 7)} --before ${at(180)} --note '<what you did>'`,
    );
    expect(json.groups).toMatchObject([
      {
        kind: 'stuck saga',
        count: 3,
        first: AT,
        sample: 't2',
        next: `trips sagas retry --group ${first}`,
        close: `trips sagas resolve --group ${first} --before ${at(180)} --note '<what you did>'`,
      },
      { count: 1, message: 'compensation of book-hotel: NO' },
    ]);
  });

  test('lists them beside failures, the largest group first, and of one consumer only', async () => {
    await stuckSagas(2);
    const failed = { error: new Error('broken'), payload: '{}', subject: 'Trip/x' };
    await new FailureRecords('records', owner).put({ id: 'm1', ...failed });
    pass(60);
    expect((await groups()).text).toMatch(
      /^1 failure in 1 group, 1 in the last hour; 2 stuck sagas in 1 group, 2 in the last hour\n/,
    );
    expect((await groups()).json.groups).toMatchObject([{ kind: 'stuck saga' }, { kind: 'failure' }]);
    expect((await groups('other')).text).toBe('no failures of other');
    expect((await groups('trips-saga')).json.groups).toHaveLength(2);
  });
});

describe('stuck sagas', () => {
  test('stuck sagas are counted as "at least" if more exist than are read, with how to continue', async () => {
    await stuckSagas(2);
    await manyMore('TripSaga', 999);
    const { text, json } = await groups();
    expect(text).toMatch(/^at least 2 stuck sagas in 1 group/);
    expect(text).toMatch(/\n[0-9a-f]{7} {2}at least 2 stuck sagas {2}trips/);
    expect(json.groups).toMatchObject([{ count: 2, more: true }]);
    participants = cancelled('DONE');
    const retried = await retry();
    expect(retried).toMatchObject({ exitCode: 3, json: { retryGroup: { result: 'ended', done: 2, more: true } } });
    expect(retried.text).toMatch(
      /: 2 went on, and there may be more\n[\s\S]*next:\n {2}trips sagas retry --group [0-9a-f]{7}$/,
    );
  });

  test('stuck sagas of one type leave room for those of another', async () => {
    await stuckSagas(1);
    await manyMore('OtherSaga', 1_000);
    const [trips, other] = services as [Service, Service];
    const both = [{ ...other, table: 'trips', consumers: [{ ...consumer, saga: 'OtherSaga' }] }, trips];
    const { json } = await listFailureGroups({ ...context, services: both }, { consumer: undefined });
    expect(json.groups).toMatchObject([{ count: 1, more: false }]);
  });

  test('unreadable sagas are counted, and hide no other', async () => {
    await stuckSagas(3);
    await spoil('t1');
    const { exitCode, text, json } = await groups();
    expect(json).toMatchObject({ groups: [{ count: 2 }], unreadable: 1 });
    expect(exitCode).toBe(4);
    expect(text).toMatch(/\n1 stuck saga can't be read: TripSaga\/t1: .*\nuse the command line of the release/);
    participants = async () => void (await spoil('t2'));
    expect((await resolve()).json).toMatchObject({ resolveGroup: { done: 1, changed: 1 } });
  });

  test('stuck sagas whose reasons differ in an id only are one group', async () => {
    for (const id of ['a', 'b']) {
      const upTo = ['check-passport', 'book-flight'].map((name) => reply(stepIdOf(id, name), 'DONE'));
      const refusal = reply(
        compensationIdOf(id, 'book-hotel'),
        'REFUSED',
        `BOOKING_GONE 019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e1${id}`,
      );
      await receives(id, start(id), ...upTo, { type: 'Cancel' }, refusal);
    }
    expect((await groups()).json.groups).toMatchObject([
      { count: 2, message: 'compensation of book-hotel: BOOKING_GONE <id>' },
    ]);
  });
});

describe('the report of a run', () => {
  test('sagas without an answer have left the group: the list of sagas shows them', async () => {
    await stuckSagas(2);
    const answers = cancelled('DONE');
    participants = async () => {
      if (sent.length === 1) await answers();
    };
    const { exitCode, text } = await retry();
    expect(exitCode).toBe(3);
    expect(text).toMatch(/: 1 have no answer yet\n[\s\S]*next:\n {2}trips sagas list$/);
  });

  test('an unprocessed request is no saga that is stuck again', async () => {
    await stuckSagas(2);
    arrives = async () => undefined;
    expect((await retry()).json).toMatchObject({ retryGroup: { result: 'probe pending', pending: 1, stuckAgain: 0 } });
  });

  test('a refused request is a failure, and not stuck again', async () => {
    await stuckSagas(3);
    arrives = async (body) => {
      const id = JSON.parse(body).detail.data.sagaId;
      if (id === 't1') await receives(id, reply(compensationIdOf(id, 'book-flight'), 'DONE'));
      await deliver(body);
    };
    const { exitCode, text, json } = await resolve();
    expect(exitCode).toBe(4);
    expect(json).toMatchObject({
      resolveGroup: { done: 2, stuckAgain: 0, refused: 1, next: ['trips failures groups'] },
    });
    expect(text).toMatch(/: 1 refused: /);
  });
});

describe('sagas retry --group', () => {
  test('asks the one that is stuck the longest first, and then all others', async () => {
    await stuckSagas(13);
    participants = cancelled('DONE');
    const { exitCode, text, json } = await retry();
    expect(exitCode).toBe(0);
    expect(text).toMatch(/: done: all 13 went on\n/);
    expect(sent[0]).toBe('t0');
    expect(new Set(sent).size).toBe(13);
    expect(json).toMatchObject({ retryGroup: { result: 'ended', done: 13, stuckAgain: 0, left: 0 } });
    expect(await statusOf('t12')).toBe('COMPENSATED');
    expect((await groups()).text).toBe('no failures');
    const log = (await listAuditLog(context, { back: 366 * 86_400 })).json.actions as readonly {
      readonly run: string;
    }[];
    expect(log).toHaveLength(13);
    expect(new Set(log.map(({ run }) => run)).size).toBe(1);
  });

  test('stops if the first one is stuck again: no other is asked', async () => {
    await stuckSagas(3);
    participants = cancelled('REFUSED');
    const { exitCode, text } = await retry();
    expect(exitCode).toBe(5);
    expect(sent).toEqual(['t0']);
    expect(text).toMatch(/: stopped at the first saga: stuck at compensation of book-flight .*: TAKEN_OFF\n/);
    expect(text).toMatch(/not reached: 2\n\nnext \(see runbook, "stuck saga"\):\n {2}trips sagas show t0$/);
  });

  test('stops if the first one has no answer', async () => {
    await stuckSagas(3);
    const { exitCode, text } = await retry();
    expect({ exitCode, sent }).toEqual({ exitCode: 3, sent: ['t0'] });
    expect(text).toMatch(/: stopped, since the first saga has no answer within 20 s\n/);
  });

  test('a retry may be stopped, and continues with those that are left', async () => {
    await stuckSagas(3);
    participants = cancelled('DONE');
    stopAfter = 1;
    expect(await retry()).toMatchObject({
      exitCode: 3,
      text: expect.stringMatching(/: stopped by you\n[\s\S]*not reached: 2/),
    });
    stopAfter = Number.POSITIVE_INFINITY;
    expect((await retry()).exitCode).toBe(0);
    expect(sent).toEqual(['t0', 't1', 't2']);
  });

  // A wait that is stopped returns at once, so each further one would be a look without a pause.
  test.each([1, 5])(
    'looks once more after it is stopped, at %i sagas, and claims no time that was not waited',
    async (n) => {
      await stuckSagas(8);
      stopAfter = n;
      const answers = cancelled('DONE');
      participants = async () => {
        if (sent.length === 1 && n > 1) await answers();
      };
      const { exitCode, text, json } = await retry();
      expect(exitCode).toBe(3);
      expect(text).toMatch(/: stopped by you\n/);
      expect(json).toMatchObject({ retryGroup: { result: 'stopped', pending: n === 1 ? 1 : 7 } });
      expect(waits).toBeLessThanOrEqual(2 * sent.length + 1);
    },
  );

  test('leaves out those that continued meanwhile', async () => {
    await stuckSagas(3);
    const answered = cancelled('DONE');
    participants = async () => {
      if ((await statusOf('t1')) === 'STUCK')
        await receives('t1', reply(compensationIdOf('t1', 'book-flight'), 'DONE'));
      await answered();
    };
    expect(await retry()).toMatchObject({ exitCode: 0, json: { retryGroup: { done: 2, changed: 1 } } });
    expect(sent).toEqual(['t0', 't2']);
  });

  test('only says what it would do, if asked', async () => {
    await stuckSagas(2);
    const { exitCode, text } = await retry(true);
    expect(exitCode).toBe(0);
    expect(text).toMatch(/: would send the step again of 2 sagas, the first one as a probe\n/);
    expect(sent).toEqual([]);
  });
});

test('sagas resolve --group continues each with the remaining steps, and its history names the operator', async () => {
  await stuckSagas(3);
  const { exitCode, json } = await resolve();
  expect(exitCode).toBe(0);
  expect(json).toMatchObject({ resolveGroup: { done: 3 } });
  expect(await statusOf('t2')).toBe('COMPENSATED');
  expect((await showSaga(context, { sagaId: 't2' })).text).toMatch(/book-flight, by olga: paid back by transfer\n/);
});

test('sagas resolve --group asks first, and says how many; it leaves out those that got stuck after a time', async () => {
  await stuckSagas(3);
  const { exitCode, text, json } = await resolve({ before: at(120) });
  expect(confirmed).toEqual([expect.stringMatching(/^sagas resolve of 2 sagas of group [0-9a-f]{7} in prod at home$/)]);
  expect(exitCode).toBe(0);
  expect(sent).toEqual(['t0', 't1']);
  expect(text).toMatch(/skipped 1: they went on, or got stuck again or for another reason, meanwhile\n/);
  expect(json).toMatchObject({ resolveGroup: { done: 2, changed: 1, left: 0 } });
});

test.each(['retry', 'resolve'] as const)('sagas %s --group leaves out one that got stuck again', async (action) => {
  await stuckSagas(3);
  const answers = action === 'retry' ? cancelled('DONE') : async () => undefined;
  let isAnew = false;
  participants = async () => {
    if (!isAnew) {
      isAnew = true;
      await receives('t1', { type: 'Retry' }, reply(compensationIdOf('t1', 'book-flight'), 'REFUSED', 'TAKEN_OFF'));
    }
    await answers();
  };
  const { json } = action === 'retry' ? await retry() : await resolve();
  expect(sent).toEqual(['t0', 't2']);
  expect(json).toMatchObject({ [`${action}Group`]: { done: 2, changed: 1 } });
  expect(await statusOf('t1')).toBe('STUCK');
});

test('a group of failures is none of stuck sagas', async () => {
  const failed = { error: new Error('broken'), payload: '{}' };
  await new FailureRecords('records', owner).put({ id: recordKey(owner, 'm1'), ...failed });
  pass(60);
  await expect(retry()).rejects.toMatchObject({ code: 'not-found', next: ['failures', 'groups'] });
});
