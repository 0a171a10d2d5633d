import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { compensationIdOf, stepIdOf } from '../../../packages/kit/saga/saga.js';
import { commandSaga, type SagaRequest } from '../../../packages/operator/sagas/saga-command.js';
import { showSaga } from '../../../packages/operator/sagas/saga-show.js';
import {
  begun,
  consumer,
  context,
  deliver,
  emptyTrips,
  held,
  owner,
  receives,
  reply,
  start,
  store,
  stuck,
} from './trips.js';

beforeEach(emptyTrips);
afterEach(() => void vi.useRealTimers());

/** Brings the messages that the commands send to the saga's consumer, in this process. */
const queue = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', async () => {
    const { QueueUrl, MessageBody } = JSON.parse(text) as { QueueUrl: string; MessageBody: string };
    expect(QueueUrl).toBe(consumer.queueUrl);
    await meanwhile();
    await deliver(MessageBody);
    await afterwards();
    const MD5OfMessageBody = createHash('md5').update(MessageBody).digest('hex');
    response
      .setHeader('content-type', 'application/x-amz-json-1.0')
      .end(JSON.stringify({ MessageId: 'm', MD5OfMessageBody }));
  });
});
/** Other messages that the saga receives before it, and behind it. */
let meanwhile: () => Promise<void>;
let afterwards: () => Promise<void>;
/** Action while the command waits. */
let later: () => Promise<void>;

describe('an operator’s command to a saga', () => {
  beforeEach(async () => {
    meanwhile = async () => {};
    afterwards = async () => {};
    later = async () => {};
    await new Promise<void>((resolve) => queue.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => void queue.close(resolve)));

  const tell = (request: SagaRequest) => {
    const url = `http://127.0.0.1:${(queue.address() as AddressInfo).port}`;
    return commandSaga({ ...context, endpoint: { url, region: 'eu-west-1' }, wait: () => later() }, request);
  };
  const retry = (sagaId: string, dryRun = false) => tell({ action: 'retry', sagaId, dryRun });
  const resolve = (sagaId: string, dryRun = false) => tell({ action: 'resolve', sagaId, note: 'by telephone', dryRun });
  const stateOf = async (id: string) => (await store.load(id)).state;

  test('retry waits for what comes of it, and says so', async () => {
    await stuck('t1');
    let looks = 0;
    later = async () => {
      if (++looks === 5) await receives('t1', reply(compensationIdOf('t1', 'book-flight'), 'DONE'));
    };
    const { exitCode, text, json } = await retry('t1');
    expect({ exitCode, text }).toEqual({ exitCode: 0, text: expect.stringMatching(/ again; now: compensated /) });
    expect(json).toMatchObject({ retry: { result: 'processed', status: 'COMPENSATED' } });
    expect(looks).toBe(5);
  });

  test('retry says if it is stuck again a moment later', async () => {
    await stuck('t1');
    let looks = 0;
    later = async () => {
      if (++looks === 5) await receives('t1', reply(compensationIdOf('t1', 'book-flight'), 'REFUSED', 'TAKEN_OFF'));
    };
    expect(await retry('t1')).toMatchObject({
      exitCode: 4,
      text: expect.stringMatching(/now: stuck at .*: TAKEN_OFF$/),
    });
  });

  test('retry sends a stuck compensation again, and without an answer shows what it waits for', async () => {
    await stuck('t1');
    const { exitCode, text } = await retry('t1');
    expect({ exitCode, text }).toEqual({
      exitCode: 3,
      text: expect.stringMatching(
        /^TripSaga t1: requested: send compensation of book-flight again; no answer within 20 s; now: waits for compensation of book-flight since /,
      ),
    });
    expect(await stateOf('t1')).toMatchObject({ status: 'COMPENSATING', waiting: { attempt: 1 } });
  });

  test('retry may be sent again: each is a message of its own', async () => {
    await begun('t1');
    await retry('t1');
    await retry('t1');
    expect(await stateOf('t1')).toMatchObject({ status: 'RUNNING', waiting: { attempt: 3 } });
  });

  test('retry of a saga that is stuck again at once asks for an operator', async () => {
    await stuck('t1');
    afterwards = () => receives('t1', reply(compensationIdOf('t1', 'book-flight'), 'REFUSED', 'TAKEN_OFF'));
    const { exitCode, text } = await retry('t1');
    expect(exitCode).toBe(4);
    expect(text).toMatch(/again; now: stuck at compensation of book-flight since \S+: TAKEN_OFF$/);
  });

  test('resolve continues with the remaining steps, and the history names the operator', async () => {
    await stuck('t1');
    const { exitCode, json, text } = await resolve('t1');
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({ resolve: { result: 'processed', status: 'COMPENSATED' } });
    expect(text).toContain(`record that olga did the compensation of book-flight by hand; now: compensated `);
    expect((await showSaga(context, { sagaId: 't1' })).text).toMatch(
      /CompensationDone +book-flight, by olga: by telephone\n/,
    );
  });

  test('a command with --dry-run says what would be, and sends nothing', async () => {
    await stuck('t1');
    meanwhile = () => expect.fail('it was sent');
    for (const told of [await retry('t1', true), await resolve('t1', true)]) {
      expect(told).toMatchObject({ exitCode: 0, text: expect.stringContaining('would request: ') });
    }
    expect((await stateOf('t1')).status).toBe('STUCK');
  });

  test('a command is refused if the state doesn’t allow it, with the command that shows it', async () => {
    meanwhile = () => expect.fail('it was sent');
    await begun('runs');
    await receives('over', start('over'), { type: 'Cancel' });
    const next = expect.arrayContaining(['sagas', 'show']);
    await expect(resolve('runs')).rejects.toMatchObject({
      code: 'refused',
      message: /not stuck. It is RUNNING: waits/,
      next,
    });
    await expect(retry('over')).rejects.toMatchObject({ code: 'refused', next });
    // It waits for its service, and a retry would end the pause.
    await held('held');
    await expect(retry('held')).rejects.toMatchObject({ code: 'refused', message: /held before book-hotel/, next });
    await expect(retry('nobody')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('a late command is shown as refused, with what to do about its record', async () => {
    await stuck('t1');
    meanwhile = () => receives('t1', reply(compensationIdOf('t1', 'book-flight'), 'DONE'));
    const { exitCode, text } = await resolve('t1');
    expect(exitCode).toBe(4);
    const [, id = ''] =
      /refused: SagaRefused: NOT_STUCK; now: compensated .*failures discard trips-saga (\S+) --reason/.exec(text) ?? [];
    const { Item } = await documentClient.send(
      new GetCommand({ TableName: 'records', Key: { pk: recordKey(owner, id) } }),
    );
    expect(Item).toMatchObject({ status: 'FAILED' });
  });

  test('resolve says which step was undone by hand: one that is stuck at another by then stays so', async () => {
    const upTo = ['check-passport', 'book-flight'].map((name) => reply(stepIdOf('t1', name), 'DONE'));
    await receives(
      't1',
      start('t1'),
      ...upTo,
      { type: 'Cancel' },
      reply(compensationIdOf('t1', 'book-hotel'), 'REFUSED'),
    );
    meanwhile = () =>
      receives(
        't1',
        reply(compensationIdOf('t1', 'book-hotel'), 'DONE'),
        reply(compensationIdOf('t1', 'book-flight'), 'REFUSED', 'TAKEN_OFF'),
      );
    const { exitCode, text } = await resolve('t1');
    expect(exitCode).toBe(4);
    expect(text).toMatch(/refused: SagaRefused: STUCK_ELSEWHERE; now: stuck at compensation of book-flight since /);
  });
});
