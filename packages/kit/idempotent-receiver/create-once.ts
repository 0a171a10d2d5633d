import { type Item, TransactionRefused, type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { untilRaceIsWon } from '../aws/lost-races.js';
import { type Loaded, type TransactionalEventStore, VersionTaken } from '../event-store/event-store.js';
import type { Commit } from '../messages/commit.js';
import type { AnyEvent } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';
import { checkSameRequest, type IdempotencyKey, refuseExpired } from './idempotency-key.js';

/** What a request led to: the aggregate as its answer shows it, and whether that was an earlier request's work. */
export interface Outcome<State> {
  readonly loaded: Loaded<State>;
  readonly replayed: boolean;
}

/** A write of the service's own that commits with an aggregate's commit, or refuses both. */
export interface Alongside {
  readonly write: TransactWriteItem;
  /**
   * Throws why the request is refused where the write's condition failed. A repeat of an accepted request is never refused.
   * @param found what stood in the place of the write, where that asked for it
   */
  readonly refuse: (found: Item | undefined) => never;
}

export interface CreateOnce<State, Event extends AnyEvent> {
  readonly store: TransactionalEventStore<State, Event>;
  /** The aggregate as it is before it is. */
  readonly initialState: State;
  readonly key: IdempotencyKey;
  readonly trace: Trace;
  readonly decide: (id: string) => readonly Event[];
  /** Throws why nothing new may be created; an earlier success is answered all the same. @default it may */
  readonly refuseNew?: (() => never) | undefined;
  /** What else commits with it, in one transaction. @default nothing: a plain put, a quarter of the price */
  readonly alongside?: (commit: Commit) => Alongside;
}

/**
 * Creates an aggregate at most once per key, for ever (design G2): its id follows from the key, so that a duplicate
 * collides with the commit itself. One write, no second record, no moment "in progress".
 *
 *     first                       duplicate, or the SDK's own retry after a lost answer
 *     put COMMIT#1: committed
 *                                 put COMMIT#1: refused, and shows the first one's commit
 *     answer from the commit      the same answer, from the same commit
 *
 * @throws {Problem} 422 where the key came with another request, or its first use comes too late
 * @throws what `refuseNew` throws, and what `alongside` refuses with
 * @throws {WriteConflict} where five tries met transactions under way
 */
export async function createOnce<State, Event extends AnyEvent>(
  options: CreateOnce<State, Event>,
): Promise<Outcome<State>> {
  const { store, initialState, key, trace, decide } = options;
  const id = key.scope.slice(0, 32);
  const nothing: Loaded<State> = { id, state: initialState, version: 0, commits: [], snapshotOutdated: false };
  const earlier = (commit: Commit): Outcome<State> => {
    checkSameRequest(key, commit.requestHash);
    return { loaded: store.after(nothing, commit), replayed: commit.trigger !== trace.trigger };
  };

  const first = async (): Promise<Commit | undefined> => (await store.loadVersion(id, 1))?.commits[0];

  const refuse = key.expired ? refuseExpired : options.refuseNew;
  if (refuse) {
    const found = await first();
    return found ? earlier(found) : refuse();
  }
  // One commit for all tries: its trigger is how this request recognises its own work.
  const commit = store.commit(nothing, decide(id), trace, { requestHash: key.requestHash });
  const more = options.alongside?.(commit);
  return untilRaceIsWon(async () => {
    try {
      await (more ? transact([store.appendWrite(commit), more.write]) : store.append(commit));
      return { loaded: store.after(nothing, commit), replayed: false };
    } catch (error) {
      if (error instanceof VersionTaken) return earlier(error.existing);
      if (!(more && error instanceof TransactionRefused)) throw error;
      // Whichever condition failed: a repeat finds its commit, and is never refused for what came after that.
      const found = await first();
      if (found) return earlier(found);
      if (error.because(more.write)) more.refuse(error.found(more.write));
      throw error;
    }
  });
}
