import type { AnyEvent } from '../messages/contract.js';

/** How a state follows from events. It is pure, and total over the whole history. */
export interface Evolution<State, Event extends AnyEvent> {
  readonly initialState: State;
  /** Applies an event. It accepts any event in any state, and never refuses history. */
  readonly evolve: (state: State, event: Event) => State;
  /** Version of the state's shape. Raise it when the shape changes; older snapshots are then ignored. */
  readonly stateSchema: number;
  /** Tells whether this state is final. Nothing is appended after it; the history stays. @default no state is final */
  readonly isDeleted?: (state: State) => boolean;
}

/** Fact that every decision receives: time arrives as data. */
export interface Now {
  /** Time of the decision (ISO 8601, UTC). */
  readonly now: string;
}

/**
 * Rules of one aggregate, as pure data and functions (Jérémie Chassaing, "Functional Event Sourcing Decider"). They run
 * the same in a function, in a test and in the simulator.
 *
 * `Facts` are the inputs of a decision besides state, command and time, for example prices.
 * @example
 * export const lampDecider: Decider<Lamp, LampCommand, LampEvent> = {
 *   initialState: { isOn: false },
 *   evolve: (_, { type }) => ({ isOn: type === 'LampSwitchedOn' }),
 *   decide: ({ isOn }, { lampId }, { now: at }) => (isOn ? [] : [{ type: 'LampSwitchedOn', data: { lampId, at } }]),
 *   stateSchema: 1,
 * };
 */
export interface Decider<State, Command, Event extends AnyEvent, Facts extends object = object>
  extends Evolution<State, Event> {
  /**
   * Returns the events that follow from a command; none if nothing changes. It throws the domain's own error if a rule
   * forbids the command.
   */
  readonly decide: (state: State, command: Command, facts: Facts & Now) => readonly Event[];
}
