import { expect } from 'vitest';

interface Decider<State, Command, Event, Context> {
  readonly initialState: State;
  readonly decide: (state: State, command: Command, context: Context) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
}

/** Given events, when a command comes, then these events follow, or it is refused with this code. */
export const given =
  <State, Command, Event, Context>(decider: Decider<State, Command, Event, Context>, context: Context) =>
  (history: readonly Event[]) => ({
    when: (command: Command) => {
      const state = history.reduce(decider.evolve, decider.initialState);
      return {
        // biome-ignore lint/suspicious/noThenProperty: given, when, then is what a test reads like; nobody awaits it
        then: (events: readonly Event[]) => expect(decider.decide(state, command, context)).toEqual(events),
        thenRefused: (code: string) =>
          expect(() => decider.decide(state, command, context)).toThrow(expect.objectContaining({ code })),
      };
    },
  });
