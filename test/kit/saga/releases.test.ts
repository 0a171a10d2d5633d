import { expect, test } from 'vitest';
import { decide, type Saga } from '../../../packages/kit/saga/saga.js';
import { done, Journey, stepId, type Trip, tripSaga, undoId } from './trip.js';

const atHotel = () => new Journey().begin().hear(done(stepId('check-passport')), done(stepId('book-flight')));
const steps = tripSaga.steps.filter(({ name }) => name !== 'book-hotel');
const hear = (saga: Saga<Trip>, journey: Journey, answer = done(stepId('book-hotel'))) =>
  decide(saga, 't1', journey.state, answer, journey.now);

test('a release that forgot the step that a saga waits for refuses its answer, and starts nothing again', () => {
  const forgetful = { ...tripSaga, steps };
  expect(() => hear(forgetful, atHotel())).toThrow("no step 'book-hotel' in this release");
  expect(() => hear(forgetful, atHotel().hear({ type: 'Cancel' }), done(undoId('book-flight')))).not.toThrow();
  expect(() => hear(forgetful, atHotel().hear({ type: 'Cancel' }).pass(60), { type: 'Timeout', number: 1 })).toThrow(
    "no step 'book-hotel' in this release",
  );
});

test('a release with a step more sends it to a saga that has not passed its place', () => {
  const [first, second, ...rest] = tripSaga.steps;
  const insured = { ...second!, name: 'insure' };
  const later = { ...tripSaga, steps: [first!, second!, ...rest, insured] };
  const early = { ...tripSaga, steps: [first!, insured, second!, ...rest] };
  const last = atHotel().hear(done(stepId('book-hotel')));
  expect(hear(later, last, done(stepId('pay'))).events[1]).toMatchObject({
    type: 'StepSent',
    data: { step: 'insure' },
  });
  expect(hear(early, last, done(stepId('pay'))).events[1]).toMatchObject({ type: 'SagaCompleted' });
});
