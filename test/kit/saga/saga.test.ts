import { describe, expect, test } from 'vitest';
import type { SagaMessage, SagaRefused } from '../../../packages/kit/saga/saga.js';
import { done, Journey, refused, stepId, type Trip, undoId } from './trip.js';

const booked = () => new Journey().begin().hear(done(stepId('check-passport')), done(stepId('book-flight')));

describe('a saga that goes well', () => {
  test('sends its first step and sets its clock', () => {
    const saga = new Journey().begin();
    expect(saga.types).toEqual(['SagaStarted', 'StepSent', 'TimerSet']);
    expect(saga.sent).toEqual(['CheckPassport']);
    expect(saga.state.timerAt).toBe('2026-01-01T00:01:00.000Z');
  });
  test('sends the next step with the answer to the one before, and leaves its clock alone', () => {
    const saga = new Journey()
      .begin()
      .pass(5)
      .hear(done(stepId('check-passport')));
    expect(saga.types).toEqual(['StepDone', 'StepSent']);
    expect(saga.sent).toEqual(['BookFlight']);
  });
  test('a saga is complete with the answer to its last step', () => {
    const saga = booked().hear(done(stepId('book-hotel')), done(stepId('pay')));
    expect(saga.types).toEqual(['StepDone', 'SagaCompleted']);
    expect(saga.state.status).toBe('COMPLETED');
  });
  test('leaves out a step that is not needed', () => {
    const saga = new Journey().begin(0).hear(done(stepId('check-passport')), done(stepId('book-flight')));
    expect(saga.sent).toEqual(['Pay']);
  });
});

describe('a message', () => {
  const hearsNothing = (saga: Journey, ...messages: readonly SagaMessage<Trip>[]) => {
    const before = saga.state;
    saga.hear(...messages);
    expect({ events: saga.events, sent: saga.sent, state: saga.state }).toEqual({
      events: [],
      sent: [],
      state: before,
    });
  };
  test('a message that starts the saga a second time changes nothing', () =>
    hearsNothing(booked(), { type: 'Start', data: { id: 't1', nights: 2 } }));
  test.each([
    ['of a step that was answered', done(stepId('book-flight'))],
    ['of a step that is to come', done(stepId('pay'))],
    ['of the compensation of a step that runs', done(undoId('book-hotel'))],
    ['that no step asked for', done('')],
    ['of another saga', done('t2/book-hotel')],
  ])('a message with an answer %s changes nothing', (_, message) => hearsNothing(booked(), message));
  test('a message with the answer of a step that is being undone changes nothing', () => {
    for (const late of [done(stepId('book-hotel')), refused(stepId('book-hotel'))]) {
      hearsNothing(booked().hear({ type: 'Cancel' }), late);
    }
  });
  test('a message of a replaced timeout changes nothing', () => {
    const saga = new Journey().begin().timeOut();
    hearsNothing(saga, { type: 'Timeout', number: 1 });
  });
  test('a message to a saga that has ended changes nothing', () => {
    const complete = () => booked().hear(done(stepId('book-hotel')), done(stepId('pay')));
    hearsNothing(complete(), { type: 'Cancel' });
    hearsNothing(complete(), done(stepId('pay')));
    hearsNothing(complete(), { type: 'Timeout', number: 1 });
    hearsNothing(complete(), { type: 'Start', data: { id: 't1', nights: 1 } });
  });
});

describe('a step that is refused', () => {
  test('a refused step is not undone, as it had no effect; earlier ones are, the newest first', () => {
    const saga = booked().hear(done(stepId('book-hotel')), refused(stepId('pay'), 'NO_MONEY'));
    expect(saga.types).toEqual(['SagaFailed', 'CompensationSent']);
    expect(saga.sent).toEqual(['CancelHotel']);
    expect(saga.hear(done(undoId('book-hotel'))).sent).toEqual(['CancelFlight']);
    saga.hear(done(undoId('book-flight')));
    expect(saga.types).toEqual(['CompensationDone', 'SagaCompensated']);
    expect(saga.state).toMatchObject({
      status: 'COMPENSATED',
      ending: { cause: 'REFUSED', step: 'pay', reason: 'NO_MONEY' },
    });
  });
  test('a refused step with nothing to undo before it ends the saga at once', () => {
    const saga = new Journey().begin().hear(refused(stepId('check-passport')));
    expect(saga.types).toEqual(['SagaFailed', 'SagaCompensated']);
  });
  test('keeps what the reason is about', () => {
    const saga = booked().hear({
      type: 'Reply',
      stepId: stepId('book-hotel'),
      outcome: 'REFUSED',
      reason: 'FULL',
      subjects: ['room 1'],
    });
    expect(saga.state).toMatchObject({ ending: { reason: 'FULL', subjects: ['room 1'] } });
  });
});

describe('a step that is not answered', () => {
  test('a step is sent again with the same identity, each time after twice the pause', () => {
    const saga = new Journey().begin();
    const began = Date.parse(saga.now);
    const moments = [saga.timeOut, saga.timeOut].map((fire) => {
      fire.call(saga);
      expect(saga.sent).toEqual(['CheckPassport']);
      return (Date.parse(saga.now) - began) / 1000;
    });
    expect(moments).toEqual([60, 180]);
    expect(saga.state).toMatchObject({ waiting: { attempt: 3 } });
  });
  test('a step is given up at its deadline, and undone, since it may have happened', () => {
    const saga = booked();
    while (saga.state.status === 'RUNNING') saga.timeOut();
    expect(Date.parse(saga.now) - Date.parse('2026-01-01T00:00:00.000Z')).toBe(300_000);
    expect(saga.types).toEqual(['SagaFailed', 'CompensationSent', 'TimerSet']);
    expect(saga.sent).toEqual(['CancelHotel']);
    expect(saga.state).toMatchObject({ ending: { cause: 'UNANSWERED', step: 'book-hotel' } });
  });
  test('a step of a later time makes the timeout fire early, and it is scheduled again', () => {
    const saga = new Journey()
      .begin()
      .pass(20)
      .hear(done(stepId('check-passport')));
    expect(saga.timeOut().types).toEqual(['TimerSet']);
    expect(saga.state.timerAt).toBe('2026-01-01T00:01:20.000Z');
    expect(saga.timeOut().sent).toEqual(['BookFlight']);
  });
  test('a step whose timeout is overdue gets a new one with the next answer', () => {
    const saga = new Journey()
      .begin()
      .pass(200)
      .hear(done(stepId('check-passport')));
    expect(saga.types).toEqual(['StepDone', 'StepSent', 'TimerSet']);
  });
});

describe('a step whose silence a backlog explains', () => {
  test('a step is not sent again before twice the time that recent answers took', () => {
    const saga = new Journey().begin().timeOut(100);
    expect({ sent: saga.sent, events: saga.events }).toEqual({
      sent: [],
      events: [{ type: 'TimerSet', data: { number: 2, at: '2026-01-01T00:03:20.000Z', backlog: 140 } }],
    });
    expect(saga.timeOut(99).sent).toEqual(['CheckPassport']);
  });
  test('a step is sent again if recent answers took less than half of its wait', () => {
    expect(new Journey().begin().timeOut(30).sent).toEqual(['CheckPassport']);
  });
  test('keeps its patience: the time that the backlog explains does not count', () => {
    const saga = booked();
    for (let times = 0; times < 10; times++) expect(saga.timeOut(100_000).types).toEqual(['TimerSet']);
    const explained = Date.parse(saga.now);
    const attempts = Array.from({ length: 2 }, () => saga.timeOut().sent);
    expect(attempts).toEqual([['BookHotel'], ['BookHotel']]);
    while (saga.state.status === 'RUNNING') saga.timeOut();
    // 60 of its 300 seconds had passed before.
    expect((Date.parse(saga.now) - explained) / 1000).toBe(3600 + 240);
    expect(saga.state).toMatchObject({ ending: { cause: 'UNANSWERED' } });
  });
  test('counts from its newest attempt', () => {
    const saga = new Journey().begin().timeOut();
    expect(saga.sent).toEqual(['CheckPassport']);
    expect(saga.timeOut(100)).toMatchObject({ sent: [], state: { waiting: { attempt: 2, backlog: 80 } } });
    expect(saga.state.timerAt).toBe('2026-01-01T00:04:20.000Z');
  });
  test('gets its next answer as ever, and the step after it has all of its patience', () => {
    const saga = new Journey()
      .begin()
      .timeOut(100)
      .pass(10)
      .hear(done(stepId('check-passport')));
    expect(saga.sent).toEqual(['BookFlight']);
    expect(saga.state).toMatchObject({ waiting: { attempt: 1, backlog: 0 } });
  });
  test('waits on if its timeout itself came late: the answer may be behind it in the same queue', () => {
    const saga = new Journey().begin().pass(60 + 1_200);
    expect(saga.timeOut().sent).toEqual([]);
    expect(saga.state.timerAt).toBe('2026-01-01T00:41:00.000Z');
    expect(saga.timeOut().sent).toEqual(['CheckPassport']);
  });
  test('a late step expects its next answer after twice the time, or half of its timeout', () => {
    const twice = new Journey()
      .begin()
      .pass(40)
      .hear(done(stepId('check-passport')))
      .timeOut();
    expect(twice.state.timerAt).toBe('2026-01-01T00:02:00.000Z');
    const saga = new Journey()
      .begin()
      .pass(100)
      .hear(done(stepId('check-passport')));
    expect(saga.events.at(-1)).toMatchObject({ type: 'TimerSet', data: { at: '2026-01-01T00:04:10.000Z' } });
    expect(saga.timeOut().sent).toEqual(['BookFlight']);
    // Attempts that were sent again tell nothing.
    saga.pass(100).hear(done(stepId('book-flight')));
    expect(saga.state).toMatchObject({ waiting: { step: 'book-hotel' } });
    expect(saga.events.find(({ type }) => type === 'StepSent')?.data).toMatchObject({
      again: new Date(Date.parse(saga.now) + 60_000).toISOString(),
    });
  });
  test('a timeout as late as a sweeper makes it sends the step again', () => {
    expect(
      new Journey()
        .begin()
        .pass(60 + 180)
        .timeOut().sent,
    ).toEqual(['CheckPassport']);
  });
  test('ends in any case: a backlog explains a day at most', () => {
    const saga = booked();
    const began = Date.parse(saga.now);
    while (saga.state.status === 'RUNNING') saga.timeOut(1_000_000);
    expect((Date.parse(saga.now) - began) / 3_600_000).toBeLessThan(26);
    expect(saga.state).toMatchObject({ ending: { cause: 'UNANSWERED' } });
  });
  test('a compensation is explained by a backlog, too: it is not stuck before', () => {
    const saga = booked().hear({ type: 'Cancel' });
    expect(saga.timeOut(300)).toMatchObject({ sent: [], types: ['TimerSet'], state: { status: 'COMPENSATING' } });
  });
  test('changes nothing for an answer that the saga does not wait for', () => {
    const saga = booked().timeOut(300);
    const { timerAt } = saga.state;
    saga.hear(done(stepId('check-passport')));
    expect({ events: saga.events, timerAt: saga.state.timerAt }).toEqual({ events: [], timerAt });
  });
});

describe('a cancellation', () => {
  test('undoes the step that is under way first: it may have happened', () => {
    const saga = booked().hear({ type: 'Cancel' });
    expect(saga.types).toEqual(['SagaFailed', 'CompensationSent']);
    expect(saga.sent).toEqual(['CancelHotel']);
  });
  test('a cancellation before the start ends the saga', () => {
    const saga = new Journey().hear({ type: 'Cancel' });
    expect(saga.types).toEqual(['SagaFailed', 'SagaCompensated']);
    saga.begin();
    expect(saga.events).toEqual([]);
  });
  test('changes nothing where it is undone already', () => {
    const saga = booked().hear(refused(stepId('book-hotel'), 'FULL'), { type: 'Cancel' });
    expect(saga.events).toEqual([]);
    expect(saga.state).toMatchObject({ ending: { cause: 'REFUSED' } });
  });
});

describe('a compensation', () => {
  const undoing = () => booked().hear({ type: 'Cancel' });
  test('a compensation without an answer is sent again, at last once an hour', () => {
    const saga = undoing();
    const moments = Array.from({ length: 12 }, () => {
      saga.timeOut();
      expect(saga.sent).toEqual(['CancelHotel']);
      return Date.parse(saga.now) / 1000;
    });
    const pauses = moments.slice(1).map((moment, at) => moment - moments[at]!);
    expect(pauses).toEqual([120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600, 3600, 3600]);
  });
  test('a compensation that is never answered leaves the saga stuck, without a timeout', () => {
    const saga = undoing();
    while (saga.state.status === 'COMPENSATING') saga.timeOut();
    expect(saga.types).toEqual(['SagaStuck']);
    expect(Date.parse(saga.now) - Date.parse('2026-01-01T00:00:00.000Z')).toBe(86_400_000);
  });
  test('a refused compensation leaves the saga stuck at once, with the reason', () => {
    const saga = undoing().hear(refused(undoId('book-hotel'), 'NEVER'));
    expect(saga.state).toMatchObject({ status: 'STUCK', reason: 'NEVER', waiting: { step: 'book-hotel' } });
  });
  test('needs a nearer clock than that of the one before it', () => {
    const saga = undoing();
    for (let times = 0; times < 8; times++) saga.timeOut();
    saga.pass(10).hear(done(undoId('book-hotel')));
    expect(saga.types).toEqual(['CompensationDone', 'CompensationSent', 'TimerSet']);
    expect(Date.parse(saga.state.timerAt!) - Date.parse(saga.now)).toBe(60_000);
  });
});

describe('a saga that is stuck', () => {
  const stuck = () => booked().hear({ type: 'Cancel' }, refused(undoId('book-hotel'), 'NEVER'));
  test('continues with a late answer', () => {
    const saga = stuck().hear(done(undoId('book-hotel')));
    expect(saga.sent).toEqual(['CancelFlight']);
    expect(saga.state.status).toBe('COMPENSATING');
  });
  test('stays so by a second refusal, and by its clock', () => {
    const saga = stuck().hear(refused(undoId('book-hotel')));
    expect(saga.events).toEqual([]);
    expect(saga.timeOut().events).toEqual([]);
  });
  test('a stuck saga gets a new timeout when it continues: its own may have fired early, by a fast clock', () => {
    const rung = () => {
      const saga = stuck();
      return saga.hear({ type: 'Timeout', number: saga.state.timers });
    };
    const resolve = { type: 'Resolve', step: 'book-hotel', by: 'operator:eve', note: 'so' } as const;
    for (const message of [done(undoId('book-hotel')), resolve, { type: 'Retry' } as const])
      expect(rung().hear(message).types).toContain('TimerSet');
  });
  test('an operator sends a stuck step again, with its whole retry policy and a timeout', () => {
    const saga = stuck().pass(100_000).hear({ type: 'Retry' });
    expect(saga.types).toEqual(['CompensationSent', 'TimerSet']);
    expect(saga.sent).toEqual(['CancelHotel']);
    expect(saga.state).toMatchObject({ status: 'COMPENSATING', waiting: { attempt: 1 } });
    expect(saga.timeOut().sent).toEqual(['CancelHotel']);
  });
  test('a stuck saga that an operator compensated by hand is resolved, and continues', () => {
    const saga = stuck().hear({ type: 'Resolve', step: 'book-hotel', by: 'operator:eve', note: 'called the hotel' });
    expect(saga.events[0]).toMatchObject({ type: 'CompensationDone', data: { by: 'operator:eve' } });
    expect(saga.sent).toEqual(['CancelFlight']);
  });
});

describe('an operator', () => {
  const refusal = (code: SagaRefused['code']) => expect.objectContaining({ name: 'SagaRefused', code });
  test('an operator has a step sent at once, with a new timeout, whatever became of the old one', () => {
    const saga = booked().hear({ type: 'Retry' });
    expect(saga.sent).toEqual(['BookHotel']);
    expect(saga.types).toEqual(['StepSent', 'TimerSet']);
  });
  test('an operator can not retry a saga that waits for nothing', () => {
    expect(() => new Journey().hear({ type: 'Retry' })).toThrow(refusal('NOT_WAITING'));
    const over = booked().hear(done(stepId('book-hotel')), done(stepId('pay')));
    expect(() => over.hear({ type: 'Retry' })).toThrow(refusal('NOT_WAITING'));
  });
  test('an operator can not resolve a saga that is not stuck', () => {
    const resolve = { type: 'Resolve', step: 'book-hotel', by: 'operator:eve', note: 'so' } as const;
    expect(() => booked().hear(resolve)).toThrow(refusal('NOT_STUCK'));
    expect(() => booked().hear({ type: 'Cancel' }, resolve)).toThrow(refusal('NOT_STUCK'));
  });
  test('an operator can not resolve another step than the one that the saga is stuck at', () => {
    const saga = booked().hear({ type: 'Cancel' }, done(undoId('book-hotel')), refused(undoId('book-flight')));
    const resolve = { type: 'Resolve', step: 'book-hotel', by: 'operator:eve', note: 'so' } as const;
    expect(() => saga.hear(resolve)).toThrow(refusal('STUCK_ELSEWHERE'));
  });
});

describe('a saga that is held before a step', () => {
  const held = () =>
    new Journey()
      .begin()
      .hear(done(stepId('check-passport')))
      .hear({ ...done(stepId('book-flight')), holdBefore: 'book-hotel' } as SagaMessage<Trip>);

  test('records the answer, sends nothing, and stays where it is', () => {
    const saga = held();
    expect(saga.types).toEqual(['StepDone', 'StepHeld']);
    expect(saga.sent).toEqual([]);
    // No timeout and no answer moves it; nobody can send what it waits with.
    for (const message of [done(stepId('book-hotel')), { type: 'Timeout', number: saga.state.timers }] as const) {
      saga.pass(86_400).hear(message);
      expect({ events: saga.events, sent: saga.sent }).toEqual({ events: [], sent: [] });
    }
    expect(() => saga.hear({ type: 'Retry' })).toThrow('NOT_WAITING');
  });
  test('a saga is not held before another step', () => {
    const saga = new Journey()
      .begin()
      .hear({ ...done(stepId('check-passport')), holdBefore: 'book-hotel' } as SagaMessage<Trip>);
    expect(saga.sent).toEqual(['BookFlight']);
  });
  test('sends the step when it is released, with a timeout from then on, and continues', () => {
    const saga = held().pass(86_400).hear({ type: 'Release' });
    expect(saga.types).toEqual(['StepSent', 'TimerSet']);
    expect(saga.sent).toEqual(['BookHotel']);
    saga.hear({ type: 'Release' });
    expect(saga.events).toEqual([]);
    saga.hear(done(stepId('book-hotel')), done(stepId('pay')));
    expect(saga.state.status).toBe('COMPLETED');
  });
  test('stays held by a release that asks for it', () => {
    const saga = held().hear({ type: 'Release', holdBefore: 'book-hotel' });
    expect(saga.events).toEqual([]);
  });
  test('compensates what it did when it is cancelled, and not what it never sent', () => {
    const saga = held().hear({ type: 'Cancel' });
    expect(saga.types).toContain('SagaFailed');
    expect(saga.sent).toEqual(['CancelFlight']);
    expect(saga.state).not.toHaveProperty('held');
  });
});
