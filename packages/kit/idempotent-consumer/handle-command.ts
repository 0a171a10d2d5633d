import { type DeciderStore, decideOn, type ReadFacts, type TargetedCommand } from '../event-store/decide-on.js';
import type { AnyEvent } from '../messages/contract.js';
import type { Handling } from './message-source.js';

/**
 * Handles a message by a command on one aggregate: loads it, decides, and commits the decision with the record of the
 * message. A decision without events commits only if the aggregate is unchanged.
 * @example
 * on(hotelCommands, {
 *   BookHotel: ({ event: command, trace }) => handleCommand(bookingStore, { id: command.data.tripId, command, trace }),
 * });
 */
export const handleCommand = <State, const Command, Event extends AnyEvent, Facts extends object>(
  store: DeciderStore<State, Command, Event, Facts>,
  target: TargetedCommand<NoInfer<Command>>,
  ...facts: ReadFacts<Facts>
): Handling => ({ decide: async () => [(await decideOn(store, target, ...facts)).write] });

/** Handles a message that changes nothing: only its record is written. */
export const noEffect: Handling = { decide: async () => [] };
