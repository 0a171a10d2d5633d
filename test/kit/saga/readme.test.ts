import { expect, test } from 'vitest';
import { decide, type SagaMessage, stepIdOf } from '../../../packages/kit/saga/saga.js';
import { evolve, initialState, type SagaState } from '../../../packages/kit/saga/state.js';
import { bookTripContract, bookTripSaga } from './example.js';

test("the README's example is a saga that runs to its end", () => {
  const at = '2026-01-01T00:00:00.000Z';
  let state: SagaState<{ tripId: string; seats: number; nights: number }> = initialState;
  const sent = [
    { type: 'Start', data: { tripId: 't1', seats: 2, nights: 3 } } as const,
    ...bookTripSaga.steps.map(
      ({ name }): SagaMessage<never> => ({ type: 'Reply', stepId: stepIdOf('t1', name), outcome: 'DONE' }),
    ),
  ].map((message) => {
    const { events, commands } = decide(bookTripSaga, 't1', state, message, at);
    for (const event of events) {
      bookTripContract.events[event.type].data.parse(event.data);
      state = evolve(state, event);
    }
    return commands.map(({ command }) => command);
  });
  expect(sent).toEqual([
    [{ type: 'BookFlight', data: { tripId: 't1', stepId: 't1/book-flight', seats: 2 } }],
    [{ type: 'BookHotel', data: { tripId: 't1', stepId: 't1/book-hotel', nights: 3 } }],
    [],
  ]);
  expect(state.status).toBe('COMPLETED');
});
