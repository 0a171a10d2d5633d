import { expect, test } from 'vitest';
import type { SagaMessage } from '../../../packages/kit/saga/saga.js';
import { Random } from '../../../packages/simulator/engine/random.js';
import { done, Journey, refused, stepId, type Trip, tripSaga, undoId } from './trip.js';

const steps = tripSaga.steps.map(({ name }) => name);
const UNDOES = { CancelFlight: 'book-flight', CancelHotel: 'book-hotel', GiveBack: 'pay' } as const;

/** Whatever is sent, heard, lost and late, in whichever order: a saga ends, and ends in one of its three ways. */
test.each(Array.from({ length: 300 }, (_, seed) => seed))(
  'a journey of chances ends as it should (seed %i)',
  (seed) => {
    const random = new Random(`journey ${seed}`);
    const saga = new Journey();
    const patient = random.chance(0.5);
    const sent = new Set<string>();
    const undone: string[] = [];
    const look = () => {
      const { state, events } = saga;
      for (const { type, data } of events) {
        if (type === 'StepSent') sent.add(data.step);
        if (type === 'CompensationDone') undone.push(data.step);
      }
      for (const type of saga.sent) {
        if (type in UNDOES) expect(sent).toContain(UNDOES[type as keyof typeof UNDOES]);
      }
      // A waiting saga has a timeout no later than its next attempt; an ended saga sends nothing.
      if (state.status === 'RUNNING' || state.status === 'COMPENSATING') {
        expect(state.timerAt! <= state.waiting.again).toBe(true);
      }
    };
    const anyMessage = (): SagaMessage<Trip> => {
      const step = random.pick(steps);
      return random.pick([
        done(stepId(step)),
        refused(stepId(step)),
        done(undoId(step)),
        { type: 'Start', data: { id: 't1', nights: seed % 3 } },
        ...(random.chance(0.1) ? [{ type: 'Cancel' } as const] : []),
      ]);
    };
    saga.begin(seed % 3);
    look();
    for (let turn = 0; turn < 200 && !['COMPLETED', 'COMPENSATED', 'STUCK'].includes(saga.state.status); turn++) {
      if (random.chance(patient ? 0.3 : 0.7)) saga.timeOut(random.chance(0.2) ? random.between(0, 2_000) : undefined);
      else saga.pass(random.between(0, 100)).hear(anyMessage());
      look();
    }
    while (saga.state.status === 'RUNNING' || saga.state.status === 'COMPENSATING') {
      saga.timeOut();
      look();
    }
    const { state } = saga;
    const needed = tripSaga.steps.filter(({ name }) => name !== 'book-hotel' || seed % 3 > 0).map(({ name }) => name);
    if (state.status === 'COMPLETED') expect({ sent: [...sent], undone }).toEqual({ sent: needed, undone: [] });
    if (state.status === 'COMPENSATED') {
      const refusedStep = state.ending.cause === 'REFUSED' ? state.ending.step : undefined;
      const mayHaveHappened = [...sent].filter((step) => step !== refusedStep && step !== 'check-passport');
      expect(undone).toEqual(mayHaveHappened.toReversed());
    }
  },
);
