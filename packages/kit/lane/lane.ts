import type { Item, TransactWriteItem } from '../aws/dynamodb.js';
import type { JointRequest } from '../idempotent-consumer/joint-decision.js';
import type { Source } from '../idempotent-consumer/message-source.js';
import { toMessageTrace } from '../idempotent-consumer/process-message.js';
import type { Effect } from '../idempotent-consumer/process-once.js';
import {
  type AnyEvent,
  type CommandOf,
  ContractViolation,
  readEvent,
  type ServiceContract,
  toCommandContract,
} from '../messages/contract.js';
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

/** A message in a lane, as its contract has not read it yet. */
export interface LaneMessage {
  readonly message: Envelope;
  readonly trace: Trace;
}

/** A lane: which messages belong into it, and how many of them are decided at once. The receiver and the writer share it. */
export interface Lane {
  /**
   * Whether each attempt loads what it decides on. Then a refused condition is a lost race, and the next attempt finds what
   * was changed. Otherwise a request whose own write is refused can't be decided in the lane.
   */
  readonly loadsState: boolean;
  /** Returns the key that a message contends for, or `undefined` if it does not belong into this lane. */
  keyOf(message: Envelope, event: AnyEvent): string | undefined;
  /**
   * Decides messages of one key. It is called again after each refusal.
   * @throws {ContractViolation} if a message is not a valid message of this lane
   */
  decide(messages: readonly LaneMessage[], refused: RefusedShare | undefined): LaneDecision | Promise<LaneDecision>;
}

/**
 * Declares a lane for one type of command.
 * @example
 * export const seatLane = createLane(seatCommands, 'BookSeat', { keyOf: ({ showId }) => showId, decide: bookAll });
 */
export const createLane = <C extends ServiceContract, const Type extends CommandOf<C>['type']>(
  { commandsOf: contract }: CommandSubscription<C>,
  type: Type,
  { keyOf, decide }: LaneRules<Extract<CommandOf<C>, { type: Type }>>,
): Lane => ({
  loadsState: false,
  // The contract has checked the data of every command that comes here, and its type is compared.
  keyOf: ({ to }, event) => (to === contract.service && event.type === type ? keyOf(event.data as never) : undefined),
  decide: (messages, refused) => {
    const requests = messages.map(({ message, trace }) => ({
      command: readEvent(toCommandContract(contract), message.type, schemaVersionOf(message), message.data),
      trace,
    }));
    return decide(requests as never, refused);
  },
});

/**
 * Declares a lane for messages that are decided together (`decideJointly`), of any number of subscriptions and consumers.
 * The key is the one that a message's contract or subscription names (`contends`). A message whose handling is of another
 * kind, or that has no key, takes a plain transaction.
 * @param sources the consumers' subscriptions with their handlers, which all decide by the same function
 * @example
 * export const accountLane = (context) => createJointLane([onCommand(context), onOrderEvent(context)]);
 */
export function createJointLane(sources: readonly Source[]): Lane {
  const findJointRequest = ({ message, trace }: LaneMessage): KeyedRequest | undefined => {
    const source = sources.find(({ matches }) => matches(message));
    const key = source?.contentionKeyOf(message);
    if (!source || key === undefined) return undefined;
    const { event, handle } = source.read(message);
    const handling = handle({ envelope: message, event, trace });
    return 'decide' in handling && handling.together ? { ...handling.together, key } : undefined;
  };
  return {
    loadsState: true,
    keyOf: (message) => findJointRequest({ message, trace: toMessageTrace(message, '') })?.key,
    decide: async (messages) => {
      const members = messages.map((message) => {
        const member = findJointRequest(message);
        if (!member) throw new ContractViolation('UNKNOWN_TYPE', 'this lane decides no message of this type');
        return member;
      });
      return (await members[0]?.decideAll(members.map(({ request }) => request))) ?? { effects: [] };
    },
  };
}

interface KeyedRequest extends JointRequest {
  readonly key: string;
}
