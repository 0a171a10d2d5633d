import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { stepIdOf } from '../../../packages/kit/saga/saga.js';
import { listSagas } from '../../../packages/operator/sagas/saga-list.js';
import { showSaga } from '../../../packages/operator/sagas/saga-show.js';
import { tripSaga } from '../../kit/saga/trip.js';
import {
  AT,
  at,
  begun,
  clockFails,
  consumer,
  context,
  emptyTrips,
  held,
  pass,
  receives,
  reply,
  services,
  start,
  store,
  stuck,
} from './trips.js';

beforeEach(emptyTrips);
afterEach(() => void vi.useRealTimers());

describe('orderly sagas list', () => {
  const list = async (limit = 50) => {
    const { exitCode, text, json } = await listSagas(context, { limit });
    expect(exitCode).toBe(0);
    const { sagas, more } = json as { sagas: { urgency: string; id: string }[]; more: boolean };
    return { text, more, sagas: sagas.map(({ urgency, id }) => `${id} ${urgency}`) };
  };

  test('says that there is none', async () =>
    expect(await list()).toEqual({ text: 'no saga waits', more: false, sagas: [] }));

  test('distinguishes the stuck, the late, the slow and the waiting, the most urgent first', async () => {
    await begun('late');
    pass(700);
    await begun('slow');
    pass(60);
    await receives('slow', { type: 'Timeout', number: 1 });
    await begun('waits', 'over');
    for (const { name } of tripSaga.steps) await receives('over', reply(stepIdOf('over', name), 'DONE'));
    await stuck('stuck');
    pass(5); // an index comes a moment later
    const { sagas, text } = await list();
    expect(sagas).toEqual(['stuck STUCK', 'late TIMER LATE', 'slow SLOW', 'waits WAITS']);
    expect(text).toMatch(/STUCK +trips\/TripSaga +stuck +compensation of book-flight +\S+ +- +TAKEN_OFF/);
    expect(text).toMatch(new RegExp(`SLOW +trips/TripSaga +slow +check-passport +${at(700)} +2 +sent again `));
    expect(text).toMatch(/4 sagas \(1 STUCK, 1 TIMER LATE, 1 SLOW, 1 WAITS\)\nthe first: .* sagas show stuck$/);
  });

  test('names one whose timeout failed, since no other command would', async () => {
    await stuck('stuck');
    await begun('failed', 'ended', 'mended', 'waits');
    for (const id of ['stuck', 'failed', 'ended', 'mended']) await clockFails(id, 1);
    pass(5);
    // The index of failures still has these two.
    await receives('ended', { type: 'Cancel' });
    await receives('mended', { type: 'Retry' });
    const { sagas, text } = await list();
    expect(sagas).toEqual(['stuck STUCK', 'failed TIMEOUT FAILED', 'mended SLOW', 'waits WAITS']);
    expect(text).toMatch(
      /TIMEOUT FAILED +trips\/TripSaga +failed +check-passport +\S+ +1 +nothing, until it is retried\n/,
    );
  });

  test('leaves out one that is held, which has no timeout: its service releases it', async () => {
    await held('held');
    await begun('waits');
    pass(700);
    expect((await list()).sagas).toEqual(['waits TIMER LATE']);
  });

  test('reads no more than it was asked for, and says that there may be more', async () => {
    await begun('one', 'two');
    pass(60);
    await receives('two', { type: 'Timeout', number: 1 });
    pass(5);
    const { sagas, more, text } = await list(1);
    expect({ sagas, more }).toEqual({ sagas: ['two SLOW'], more: true });
    expect(text).toContain('there may be more than 1: --limit <n>');
  });
});

describe('orderly sagas show', () => {
  const show = (sagaId: string) => showSaga(context, { sagaId });

  test('shows of a stuck one what is still to compensate, why, and what to do next', async () => {
    await stuck('t1');
    const { exitCode, text, json } = await show('t1');
    expect(exitCode).toBe(4);
    expect(json).toMatchObject({
      saga: {
        status: 'STUCK',
        step: 'book-flight',
        reason: 'TAKEN_OFF',
        toUndo: ['check-passport', 'book-flight'],
        ending: { cause: 'REFUSED', step: 'book-hotel', reason: 'FULL' },
        stuckSince: AT,
      },
    });
    expect(text).toMatch(/waits for +compensation of book-flight\n/);
    expect(text).toMatch(/stuck +\S+: TAKEN_OFF\n/);
    expect(text).toMatch(/ending +REFUSED at book-hotel: FULL\n/);
    expect(text).toMatch(/to compensate +book-flight, check-passport\n/);
    expect(text).toMatch(
      /history:[\s\S]*CompensationSent +book-flight, attempt 1\n.*SagaStuck +book-flight: TAKEN_OFF\n/,
    );
    expect(text).toMatch(/sagas retry t1\n.*sagas resolve t1 --note '<what you did>'$/);
  });

  test('names the application’s own report, where it has one', async () => {
    await begun('t1');
    const reportOn = (subject: string) => ['trip', subject];
    expect((await showSaga({ ...context, reportOn }, { sagaId: 't1' })).text).toContain(
      "inspect: trips trip 'TripSaga/t1'\n",
    );
    expect((await show('t1')).text).toContain('inspect: trips failures list\n');
  });

  test('sends the reader of a stuck one to its page, and not back to the report', async () => {
    await stuck('t1');
    const reportOn = (subject: string) => ['trip', subject];
    const pageOn = () => 'run.md, "SagaStuck"';
    const { text } = await showSaga({ ...context, reportOn, pageOn }, { sagaId: 't1' });
    expect(text).toMatch(/\nfirst fix the cause at its participant: run\.md, "SagaStuck"\nthen send it again: /);
    expect(text).not.toContain('trips trip');
    expect((await showSaga({ ...context, reportOn }, { sagaId: 't1' })).text).toContain(
      "first fix the cause at its participant: trips trip 'TripSaga/t1'\n",
    );
  });

  test('shows of one that is held before which step, since when, and offers no retry', async () => {
    await held('t1');
    const { exitCode, text, json } = await show('t1');
    expect(exitCode).toBe(3);
    expect(json).toMatchObject({ saga: { status: 'RUNNING', held: 'book-hotel', heldSince: AT } });
    expect(text).toMatch(new RegExp(`waits for +release before book-hotel\nsince +${AT}\n`));
    expect(text).toContain('its service releases it');
    expect(text).not.toMatch(/sent again|sagas retry/);
  });

  test('shows of one that waits for which step, since when, and when it is sent again', async () => {
    await begun('t1');
    const { exitCode, text } = await show('t1');
    expect(exitCode).toBe(3);
    expect(text).toMatch(new RegExp(`waits for +check-passport\nsince +${AT}\nattempt +1\nsent again +${at(60)}`));
    expect(text).not.toContain('to compensate');
    expect(text).toMatch(/sagas retry t1$/);
  });

  test('shows how one ended, without its data', async () => {
    await receives('t1', start('t1'), reply(stepIdOf('t1', 'check-passport'), 'REFUSED', 'EXPIRED'));
    const { exitCode, text } = await show('TripSaga/t1');
    expect(exitCode).toBe(0);
    expect(text).toMatch(/nothing to do here: compensated \S+: REFUSED at check-passport: EXPIRED$/);
    expect(text).not.toContain('nights');
  });

  test('knows none that never began, and names the list', async () =>
    expect(show('nobody')).rejects.toMatchObject({ code: 'not-found', next: ['sagas', 'list'] }));

  test('asks which is meant if two types have one id', async () => {
    await begun('t1');
    const [trips] = services;
    const twice = {
      ...context,
      services: [...services, { ...trips!, consumers: [{ ...consumer, saga: 'OtherSaga' }] }],
    };
    const { commits } = await store.load('t1');
    await documentClient.send(new PutCommand({ TableName: 'trips', Item: { ...commits[0], pk: 'OtherSaga#t1' } }));
    await expect(showSaga(twice, { sagaId: 't1' })).rejects.toMatchObject({
      message: "Two sagas have the id 't1', TripSaga/t1 and OtherSaga/t1: expected <type>/<id>.",
      next: ['sagas', 'show', 'TripSaga/t1'],
    });
    expect((await showSaga(twice, { sagaId: 'OtherSaga/t1' })).text).toContain('OtherSaga t1');
  });
});
