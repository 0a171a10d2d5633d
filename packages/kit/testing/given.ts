import { deepStrictEqual, throws } from 'node:assert/strict';
import type { Decider, Now } from '../decider/decider.js';
import type { AnyEvent } from '../messages/contract.js';

/** Time of decisions in tests that name none. */
const NOW = '2026-01-01T00:00:00.000Z';

/** Facts of a decision in a test. The time may be left out; so may all facts if the decider has none of its own. */
type GivenFacts<Facts extends object> = object extends Facts ? [facts?: Partial<Now>] : [facts: Facts & Partial<Now>];

/**
 * Specifies a decider by examples: given these events, when this command comes, then these events follow.
 * @example
 * const lamp = given(lampDecider);
 * lamp([]).when({ type: 'SwitchOn' }).then([switchedOn]);
 * lamp([broken]).when({ type: 'SwitchOn' }).thenRefused('BROKEN');
 */
export const given =
  <State, Command, Event extends AnyEvent, Facts extends object>(
    { initialState, evolve, decide }: Pick<Decider<State, Command, Event, Facts>, 'initialState' | 'evolve' | 'decide'>,
    ...[facts]: GivenFacts<Facts>
  ) =>
  (history: readonly Event[]) => ({
    when: (command: Command) => {
      const decided = () => decide(history.reduce(evolve, initialState), command, { now: NOW, ...(facts as Facts) });
      return {
        /** @throws {AssertionError} if other events follow */
        // biome-ignore lint/suspicious/noThenProperty: given, when, then is what a test reads like; nobody awaits it
        then: (events: readonly Event[]): void => deepStrictEqual(decided(), events),
        /** @throws {AssertionError} if the command is not refused with an error of this `code` */
        thenRefused: (code: string): void => throws(decided, { code }),
      };
    },
  });
