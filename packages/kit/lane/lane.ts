import type { Item, TransactWriteItem } from '../aws/dynamodb.js';
import type { Effect } from '../idempotent-consumer/process-once.js';
import { type AnyEvent, type CommandOf, commandsOf, readEvent, type ServiceContract } from '../messages/contract.js';
import { type Envelope, schemaVersionOf } from '../messages/envelope.js';
import type { CommandSubscription } from '../messages/subscriptions.js';
import type { Trace } from '../messages/trace.js';

/** One request in a lane. */
export interface LaneRequest<Command> {
  readonly command: Command;
  /** Trace for the request's writes. It names its message as their cause. */
  readonly trace: Trace;
}

/** State of the shared item at the moment when its condition refused the previous attempt. */
export interface RefusedShare {
  /** The shared item at that moment, or `undefined` if there is none. */
  readonly found: Item | undefined;
}

/** Decision for several requests, which commits as one transaction. */
export interface LaneDecision {
  /**
   * Change of the item that all requests contend for, once for all of them. It needs a condition, since plain
   * transactions change the same item meanwhile. It is absent if the requests change nothing there.
   */
  readonly shared?: Pick<TransactWriteItem, 'Update'>;
  /** Writes of each request, in the order of the requests. No two requests may write the same item. */
  readonly effects: readonly Effect[];
}

export interface LaneRules<Command extends AnyEvent> {
  /** Returns the key that a command contends for, or `undefined` for a command that always takes a plain transaction. */
  readonly keyOf: (data: Command['data']) => string | undefined;
  /**
   * Decides for requests of one key, first come, first served. It reads nothing: it assumes that every request is new
   * and that the shared item allows all of them, and its writes have conditions that say so. It is called again with what
   * a refusal has shown, until a transaction commits.
   * @param refused absent in the first attempt
   */
  readonly decide: (requests: readonly LaneRequest<Command>[], refused: RefusedShare | undefined) => LaneDecision;
}

/** A lane: one type of command, and how many of them are decided at once. The receiver and the writer share it. */
export interface Lane {
  /** Returns the key that a message contends for, or `undefined` if it does not belong into this lane. */
  keyOf(message: Pick<Envelope, 'to'>, event: AnyEvent): string | undefined;
  /** @throws {ContractViolation} if the message is not a valid command of this lane */
  read(message: Envelope): AnyEvent;
  decide(requests: readonly LaneRequest<AnyEvent>[], refused: RefusedShare | undefined): LaneDecision;
}

/**
 * Declares a lane for one type of command.
 * @example
 * export const seatLane = lane(bookings, 'BookSeat', { keyOf: ({ showId }) => showId, decide: bookAll });
 */
export const lane = <C extends ServiceContract, const Type extends CommandOf<C>['type']>(
  { commandsOf: contract }: CommandSubscription<C>,
  type: Type,
  { keyOf, decide }: LaneRules<Extract<CommandOf<C>, { type: Type }>>,
): Lane => ({
  // The contract has checked the data of every command that comes here, and its type is compared.
  keyOf: ({ to }, event) => (to === contract.service && event.type === type ? keyOf(event.data as never) : undefined),
  read: (message) => readEvent(commandsOf(contract), message.type, schemaVersionOf(message), message.data),
  decide: (requests, refused) => decide(requests as never, refused),
});
