import { clock } from '../aws/clock.js';
import type { TransactWriteItem } from '../aws/dynamodb.js';
import type { Decider } from '../decider/decider.js';
import type { AnyEvent } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';
import type { Loaded, TransactionalEventStore } from './event-store.js';

/** Event store of aggregates that have a decider. */
export type DeciderStore<
  State,
  Command,
  Event extends AnyEvent,
  Facts extends object = object,
> = TransactionalEventStore<State, Event, Decider<State, Command, Event, Facts>>;

/** A command on one aggregate. */
export interface TargetedCommand<Command> {
  /** Id of the aggregate. */
  readonly id: string;
  readonly command: Command;
  readonly trace: Trace;
}

/** Reads the facts of a decision, while the aggregate is loaded. A decider without facts of its own takes none. */
export type ReadFacts<Facts extends object> = object extends Facts ? [] : [facts: () => Promise<Facts>];

/** A decision and the write that commits it. */
export interface Decision<State, Event> {
  /** The aggregate on which the decision was made. */
  readonly before: Loaded<State>;
  readonly events: readonly Event[];
  /** Append of the events, or the check that the aggregate is unchanged if there are none. */
  readonly write: TransactWriteItem;
}

/**
 * Loads an aggregate and decides a command on it. The time of the decision is now.
 *
 * Commit the write in a transaction. Call the function again after a lost race; it loads again.
 * @throws what the decider throws, and what {@link TransactionalEventStore.toWrite} throws
 */
export async function decideOn<State, const Command, Event extends AnyEvent, Facts extends object>(
  store: DeciderStore<State, Command, Event, Facts>,
  { id, command, trace }: TargetedCommand<NoInfer<Command>>,
  ...[readFacts]: ReadFacts<Facts>
): Promise<Decision<State, Event>> {
  const [before, facts] = await Promise.all([store.load(id), readFacts?.()]);
  // Without `readFacts` the decider needs none, as ReadFacts says.
  const events = store.decider.decide(before.state, command, { ...(facts as Facts), now: clock.now() });
  return { before, events, write: store.toWrite(before, events, trace) };
}

/**
 * Decides a command on an aggregate that is assumed to be new, without a read. The write is refused if the aggregate exists;
 * then use {@link decideOn}.
 * @throws what the decider throws, and what {@link TransactionalEventStore.toWrite} throws
 */
export function decideOnNew<State, const Command, Event extends AnyEvent>(
  store: DeciderStore<State, Command, Event>,
  { id, command, trace }: TargetedCommand<NoInfer<Command>>,
): Decision<State, Event> {
  const before = store.assumeNew(id);
  const events = store.decider.decide(before.state, command, { now: clock.now() });
  return { before, events, write: store.toWrite(before, events, trace) };
}
