import { clock } from '../aws/clock.js';
import { type Item, TransactionRefused, type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { retryOnConflict } from '../aws/optimistic-retry.js';
import type { DeciderStore } from '../event-store/decide-on.js';
import { type Loaded, VersionTaken } from '../event-store/event-store.js';
import type { Commit } from '../messages/commit.js';
import type { AnyEvent, OutgoingCommand } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';
import { checkSameRequest, type IdempotencyKey, refuseExpired } from './idempotency-key.js';

/** Result of a request: the aggregate as the answer shows it, and whether an earlier request had done the work. */
export interface Outcome<State> {
  readonly loaded: Loaded<State>;
  readonly replayed: boolean;
}

/** Writes of the service's own that commit together with an aggregate's commit, or refuse everything. */
export interface Alongside {
  readonly writes: readonly TransactWriteItem[];
  /**
   * Throws the reason for a refusal if the condition of a write failed. A repeat of an accepted request is never
   * refused.
   * @param found item that existed at the key of the refused write, if the write asks for it
   * @default the request is decided again, by what is there now
   */
  readonly refuse?: (found: Item | undefined) => never;
}

export interface CreateOnce<State, Command, Event extends AnyEvent> {
  readonly store: DeciderStore<State, Command, Event>;
  readonly key: IdempotencyKey;
  readonly trace: Trace;
  /** Returns the command that creates the aggregate of this id. The store's decider decides it. */
  readonly command: (id: string) => NoInfer<Command>;
  /**
   * Throws the reason why nothing new may be created. A repeat still receives the answer of its earlier success.
   * @default new aggregates are allowed
   */
  readonly refuseNew?: (() => never) | undefined;
  /**
   * Commands that are sent with the creation's events.
   * @default none
   */
  readonly commands?: (id: string) => readonly OutgoingCommand[];
  /**
   * Writes that commit in one transaction with the creation.
   * @default none: the creation is a plain put, for a quarter of the price
   */
  readonly alongside?: (commit: Commit, id: string) => Alongside;
}

/**
 * Creates an aggregate at most once per idempotency key, for ever (design G2). The aggregate's id follows from the key,
 * so a duplicate collides with the commit itself. There is one write, no second record, and no state "in progress".
 *
 *     first                       duplicate, or the SDK's own retry after a lost answer
 *     put COMMIT#1: committed
 *                                 put COMMIT#1: refused, and shows the first one's commit
 *     answer from the commit      the same answer, from the same commit
 *
 * @example
 * const { loaded, replayed } = await createOnce({
 *   store: orderStore,
 *   key: parseIdempotencyKey(toKeyedRequest(request)),
 *   trace: toTrace(request),
 *   command: (orderId) => ({ type: 'Place', orderId, ...request.body }),
 * });
 * @throws {Problem} 422 if the key came with another request before, or if its first use is too late
 * @throws what `refuseNew` and the decider throw, and what `alongside` refuses with
 * @throws {WriteConflict} if five attempts conflicted with running transactions
 */
export async function createOnce<State, const Command, Event extends AnyEvent>(
  options: CreateOnce<State, Command, Event>,
): Promise<Outcome<State>> {
  const { store, key, trace, command } = options;
  const { initialState, decide } = store.decider;
  const id = key.scope.slice(0, 32);
  const initial: Loaded<State> = { id, state: initialState, version: 0, commits: [], snapshotOutdated: false };
  const replay = (commit: Commit): Outcome<State> => {
    checkSameRequest(key, commit.requestHash);
    return { loaded: store.applyCommit(initial, commit), replayed: commit.trigger !== trace.trigger };
  };

  const readFirstCommit = async (): Promise<Commit | undefined> => (await store.loadVersion(id, 1))?.commits[0];

  const { expiredFor } = key;
  const refuse = expiredFor === undefined ? options.refuseNew : () => refuseExpired(expiredFor);
  if (refuse) {
    const found = await readFirstCommit();
    return found ? replay(found) : refuse();
  }
  // All attempts use the same commit. Its trigger lets this request recognise its own work.
  const events = decide(initialState, command(id), { now: clock.now() });
  const commands = options.commands?.(id) ?? [];
  const commit = store.buildCommit(initial, events, trace, { requestHash: key.requestHash, commands });
  const more = options.alongside?.(commit, id);
  return retryOnConflict(async () => {
    try {
      await (more ? transact([store.appendWrite(commit), ...more.writes]) : store.append(commit));
      return { loaded: store.applyCommit(initial, commit), replayed: false };
    } catch (error) {
      if (error instanceof VersionTaken) return replay(error.existing);
      if (!(more && error instanceof TransactionRefused)) throw error;
      // Whichever condition failed: a repeat finds its commit. It is never refused for something that happened after
      // that commit.
      const found = await readFirstCommit();
      if (found) return replay(found);
      const refused = more.writes.find((write) => error.conditionFailedFor(write));
      if (refused) more.refuse?.(error.existingItem(refused));
      throw error;
    }
  });
}
