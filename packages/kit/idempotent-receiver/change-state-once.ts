import { type Item, TransactionRefused, type TransactWriteItem } from '../aws/dynamodb.js';
import { retryOnConflict } from '../aws/optimistic-retry.js';
import type { AnyEvent } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';
import type { StateStore, Stored } from '../state-store/state-store.js';
import { isSameRequest } from './idempotency-key.js';
import type { EarlierRequest, RequestRecord } from './request-record.js';

export interface ChangeStateOnce<State extends Stored, Event extends AnyEvent> {
  readonly store: StateStore<State, Event>;
  readonly id: string;
  /** Record by which a repeat of this request is recognised. */
  readonly record: RequestRecord;
  readonly trace: Trace;
  /**
   * Returns the events that follow from the current state; none if the request changes nothing. It throws if the request
   * is refused.
   */
  readonly decide: (before: State | undefined) => Promise<readonly Event[]>;
  /** Folds the stored events, whose personal fields are sealed, into the fields of the state. */
  readonly evolve: (before: State | undefined, events: readonly Event[]) => Omit<State, keyof Stored>;
  /** Writes that commit together with the change. They must be repeatable. @default none */
  readonly alongside?: readonly TransactWriteItem[];
}

/** State that answers a request, and whether an earlier request had done the work. */
export interface StateOutcome<State> {
  /** `undefined` if the aggregate was never written. */
  readonly state: State | undefined;
  readonly replayed: boolean;
}

/**
 * Changes a state-stored aggregate at most once per request, within the deduplication window (design G2).
 *
 * It works as `changeOnce` does, with one difference: earlier versions of the aggregate are not stored, and its commits
 * expire. So the record of the request holds the state that answers it, and lives exactly as long as a repeat is
 * recognised. The state's personal fields are sealed, so they become unreadable with the person's key.
 *
 *     request 1: name = Ada            request 2: name = Bob            request 1 again
 *     transact: commit 1, state, record 1
 *                                      transact: commit 2, state, record 2
 *                                                                       record 1 exists: answers Ada, changes nothing
 *
 * A request that changes nothing is recorded too, with a check that nothing happened meanwhile.
 * @throws {Problem} 422 if the key or number came with another request before, or the reason why the record cannot be
 *   claimed any more
 * @throws {WriteConflict} after five lost races
 * @throws what `decide` throws, unless the request succeeded before
 */
export async function changeStateOnce<State extends Stored, Event extends AnyEvent>(
  options: ChangeStateOnce<State, Event>,
): Promise<StateOutcome<State>> {
  const { store, id, record, trace, decide, evolve, alongside = [] } = options;
  const replay = async ({ requestHash, trigger, state }: EarlierRequest): Promise<StateOutcome<State>> => {
    if (!isSameRequest(record, requestHash)) record.refuseReused();
    const replayed = trigger !== trace.trigger;
    if (replayed) await record.recordRepeat();
    return { state: state as State | undefined, replayed };
  };
  try {
    return await retryOnConflict(async () => {
      const before = await store.read(id);
      const buildClaim = await record.claim(trace.trigger);
      const events = await decide(before);
      const { writes, after } =
        events.length > 0
          ? store.buildChange(id, before, events, evolve, trace)
          : { writes: [store.unchangedCheck(id, before)], after: before };
      const claim = buildClaim(after?.version ?? 0, after && ({ ...after } as Item));
      try {
        await store.table.transact([claim, ...writes, ...alongside]);
      } catch (error) {
        if (!(error instanceof TransactionRefused && error.conditionFailedFor(claim))) throw error;
        return replay(record.readEarlier(error.existingItem(claim)));
      }
      return { state: after, replayed: false };
    });
  } catch (error) {
    // A refusal may only be the request's own earlier success, seen again. So the record is read after it.
    const earlier = await record.find();
    if (earlier) return replay(earlier);
    throw error;
  }
}
