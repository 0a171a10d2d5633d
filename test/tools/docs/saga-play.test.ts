import { expect, test } from 'vitest';
import type { Saga } from '../../../packages/kit/saga/saga.js';
import { drawSaga } from '../../../tools/docs/saga-picture.js';
import { keyOf, play } from '../../../tools/docs/saga-play.js';
import { type Trip, tripSaga } from '../../kit/saga/trip.js';

const trips: readonly Trip[] = [
  { id: 't1', nights: 2 },
  { id: 't1', nights: 0 },
];
const movesOf = (saga: Saga<Trip>) =>
  play(saga, trips).moves.map(({ from, on, without, to }) => [
    keyOf(from),
    [on, ...without].join(' without '),
    keyOf(to),
  ]);

test('playing a saga finds all its transitions, and no others', () => {
  expect(new Set(movesOf(tripSaga).map((move) => move.join(' | ')))).toEqual(
    new Set([
      'NONE | started | RUNNING check-passport',
      'NONE | cancelled | COMPENSATED',
      'RUNNING check-passport | done | RUNNING book-flight',
      'RUNNING check-passport | refused | COMPENSATED',
      'RUNNING check-passport | unanswered | COMPENSATED',
      'RUNNING check-passport | cancelled | COMPENSATED',
      'RUNNING book-flight | done | RUNNING book-hotel',
      'RUNNING book-flight | done without book-hotel | RUNNING pay',
      'RUNNING book-flight | refused | COMPENSATED',
      'RUNNING book-flight | unanswered | COMPENSATING book-flight',
      'RUNNING book-flight | cancelled | COMPENSATING book-flight',
      'RUNNING book-hotel | done | RUNNING pay',
      'RUNNING book-hotel | refused | COMPENSATING book-flight',
      'RUNNING book-hotel | unanswered | COMPENSATING book-hotel',
      'RUNNING book-hotel | cancelled | COMPENSATING book-hotel',
      'RUNNING pay | done | COMPLETED',
      'RUNNING pay | refused | COMPENSATING book-hotel',
      'RUNNING pay | refused without book-hotel | COMPENSATING book-flight',
      'RUNNING pay | unanswered | COMPENSATING pay',
      'RUNNING pay | cancelled | COMPENSATING pay',
      'COMPENSATING pay | done | COMPENSATING book-hotel',
      'COMPENSATING pay | done without book-hotel | COMPENSATING book-flight',
      'COMPENSATING book-hotel | done | COMPENSATING book-flight',
      'COMPENSATING book-flight | done | COMPENSATED',
      ...['pay', 'book-hotel', 'book-flight'].flatMap((step) => [
        `COMPENSATING ${step} | refused | STUCK ${step}`,
        `COMPENSATING ${step} | unanswered | STUCK ${step}`,
        `STUCK ${step} | retried | COMPENSATING ${step}`,
      ]),
      ...['done', 'resolved'].flatMap((on) => [
        `STUCK pay | ${on} | COMPENSATING book-hotel`,
        `STUCK pay | ${on} without book-hotel | COMPENSATING book-flight`,
        `STUCK book-hotel | ${on} | COMPENSATING book-flight`,
        `STUCK book-flight | ${on} | COMPENSATED`,
      ]),
    ]),
  );
});

test('a step without a compensation is never undone', () => {
  const steps = tripSaga.steps.map(({ compensatingCommand: undo, ...step }) =>
    step.name === 'pay' || !undo ? step : { ...step, compensatingCommand: undo },
  );
  const places = movesOf({ ...tripSaga, steps }).map(([, , to]) => to);
  expect(places).not.toContain('COMPENSATING pay');
  expect(places).toContain('COMPENSATING book-flight');
});

test('the retries and the timeout of a step follow from its timers', () => {
  const silences = new Map(play(tripSaga, trips).silences.map((silence) => [keyOf(silence.at), silence]));
  expect(silences.size).toBe(7);
  expect(silences.get('RUNNING pay')).toMatchObject({
    command: { command: { type: 'Pay' } },
    sentAfter: [0, 60, 180],
    givenUpAfter: 300,
  });
  expect(silences.get('COMPENSATING pay')).toMatchObject({
    command: { command: { type: 'GiveBack' } },
    givenUpAfter: 86_400,
  });
});

test('refuses samples that skip no optional step, or all, since they show half of a saga', () => {
  expect(() => play(tripSaga, trips.slice(1))).toThrow("no two samples differ in whether 'book-hotel' is needed");
});

test('a picture has a box for each place, an arrow for each transition, and a row for each command', () => {
  const picture = drawSaga(play(tripSaga, trips));
  for (const line of [
    '  RUNNING_pay["pay<br/>Pay"]',
    '  RUNNING_pay -->|"no answer in 5 min, cancelled"| COMPENSATING_pay',
    '  RUNNING_book_flight -->|"done (book-hotel was not needed)"| RUNNING_pay',
    '  STUCK_pay -->|"done after all, resolved by an operator"| COMPENSATING_book_hotel',
    '| pay | `Pay` to travel | 3 times: at once, after 1 min, 3 min | undo pay, after 5 min |',
  ]) {
    expect(picture.split('\n')).toContain(line);
  }
});
