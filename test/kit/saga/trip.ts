import * as z from 'zod/mini';
import { type SagaEvent, sagaCommands, sagaEvents } from '../../../packages/kit/saga/contract.js';
import { compensationIdOf, decide, type Saga, type SagaMessage, stepIdOf } from '../../../packages/kit/saga/saga.js';
import { evolve, initialState, type SagaState } from '../../../packages/kit/saga/state.js';

const Trip = z.object({ id: z.string(), nights: z.int() });
export type Trip = z.infer<typeof Trip>;

/** State of the saga, and its own messages. */
export const tripContract = { service: 'trips', events: sagaEvents(Trip), commands: sagaCommands } as const;

const asks = { version: 1, data: z.object({ id: z.string(), stepId: z.string() }) };
/** Who carries the steps out. */
const to = {
  service: 'travel',
  events: {},
  commands: {
    CheckPassport: asks,
    BookFlight: asks,
    CancelFlight: asks,
    BookHotel: asks,
    CancelHotel: asks,
    Pay: asks,
    GiveBack: asks,
  },
};
const asked =
  (type: string) =>
  ({ id }: Trip, stepId: string) => ({ to, command: { type, data: { id, stepId } } });
const retryPolicy = { retryAfter: 60, timeout: 300 };

/** A small saga for tests of the pattern: what a traveller needs, and what is given back of it. */
export const tripSaga: Saga<Trip> = {
  steps: [
    { name: 'check-passport', command: asked('CheckPassport'), retryPolicy },
    { name: 'book-flight', command: asked('BookFlight'), compensatingCommand: asked('CancelFlight'), retryPolicy },
    {
      name: 'book-hotel',
      command: asked('BookHotel'),
      compensatingCommand: asked('CancelHotel'),
      isNeeded: ({ nights }) => nights > 0,
      retryPolicy,
    },
    { name: 'pay', command: asked('Pay'), compensatingCommand: asked('GiveBack'), retryPolicy },
  ],
  compensationPolicy: { retryAfter: 60, timeout: 86_400 },
};

export const stepId = (step: string) => stepIdOf('t1', step);
export const undoId = (step: string) => compensationIdOf('t1', step);
export const done = (id: string): SagaMessage<Trip> => ({ type: 'Reply', stepId: id, outcome: 'DONE' });
export const refused = (id: string, reason = 'NO'): SagaMessage<Trip> => ({
  type: 'Reply',
  stepId: id,
  outcome: 'REFUSED',
  reason,
});

/** A saga that receives one message after the other; what the newest led to can be looked at. */
export class Journey {
  state: SagaState<Trip> = initialState;
  events: readonly SagaEvent<Trip>[] = [];
  sent: readonly string[] = [];
  private nowMs = Date.parse('2026-01-01T00:00:00.000Z');

  get now(): string {
    return new Date(this.nowMs).toISOString();
  }

  hear(...messages: readonly SagaMessage<Trip>[]): this {
    for (const message of messages) {
      const { events, commands } = decide(tripSaga, 't1', this.state, message, this.now);
      this.state = events.reduce(evolve<Trip>, this.state);
      this.events = events;
      this.sent = commands.map(({ command }) => command.type);
    }
    return this;
  }

  begin(nights = 2): this {
    return this.hear({ type: 'Start', data: { id: 't1', nights } });
  }

  pass(seconds: number): this {
    this.nowMs += seconds * 1000;
    return this;
  }

  /** Advances the time to the newest timeout, which then fires. */
  timeOut(roundTrip?: number): this {
    this.nowMs = Math.max(this.nowMs, Date.parse(this.state.timerAt ?? ''));
    return this.hear({ type: 'Timeout', number: this.state.timers, ...(roundTrip === undefined ? {} : { roundTrip }) });
  }

  get types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }
}
