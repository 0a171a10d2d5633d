import { clock } from '../aws/clock.js';
import { TransactionRefused, transact } from '../aws/dynamodb.js';
import { retryOnConflict } from '../aws/optimistic-retry.js';
import { Throttled, WriteConflict } from '../aws/write-conflict.js';
import type { DeciderStore } from '../event-store/decide-on.js';
import type { Loaded } from '../event-store/event-store.js';
import { Problem } from '../http/errors.js';
import type { Commit } from '../messages/commit.js';
import type { AnyEvent } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';
import type { Alongside, Outcome } from './create-once.js';
import { isSameRequest } from './idempotency-key.js';
import type { EarlierRequest, RequestRecord } from './request-record.js';

export interface ChangeOnce<State, Command, Event extends AnyEvent> {
  readonly store: DeciderStore<State, Command, Event>;
  readonly id: string;
  /** Record by which a repeat of this request is recognised. */
  readonly record: RequestRecord;
  readonly trace: Trace;
  /** Checks that the caller may see the aggregate. It throws if not; then the record of the request is not read. */
  readonly admit: (loaded: Loaded<State>) => void;
  /** Returns the command that the store's decider decides. It throws if the request is refused before. */
  readonly command: (loaded: Loaded<State>) => NoInfer<Command> | Promise<NoInfer<Command>>;
  /** Writes that commit together with the change. @default none */
  readonly alongside?: (commit: Commit, events: readonly Event[]) => Alongside | undefined;
}

export interface Change<State> extends Outcome<State> {
  /**
   * Whether the request changed something, now or in its earlier success. If so, the last commit of `loaded` is its
   * own.
   */
  readonly changed: boolean;
}

/**
 * Changes an aggregate at most once per request, within the deduplication window (design G2).
 *
 * The record of the request commits in one transaction with the change. Its idempotency key, or its number in a
 * session, identifies it, and it stores the version that answers the request. A decision that changes nothing is
 * recorded too, with a check that nothing happened meanwhile.
 *
 * A refusal may only be the request's own earlier success, seen again ("already cancelled"). So the record is read
 * after a refusal, strongly consistent, before the refusal is answered.
 * @example
 * const { loaded, replayed } = await changeOnce({
 *   store: orderStore,
 *   id: orderId,
 *   record: createRequestRecord(toKeyedRequest(request), records),
 *   trace: toTrace(request),
 *   admit: (order) => void requireVisible(request.caller, order),
 *   command: () => ({ type: 'Cancel' }),
 * });
 * @throws {Problem} 422 if the key or number came with another request before; 409 after five lost races, with the
 *   expected version and the found one; or the reason why the record cannot be claimed any more
 * @throws what `admit`, `command` and the decider throw, and what `alongside` refuses with
 */
export async function changeOnce<State, const Command, Event extends AnyEvent>(
  options: ChangeOnce<State, Command, Event>,
): Promise<Change<State>> {
  const { store, id, record, trace, admit, command, alongside } = options;
  /** Version that the newest decision is based on. It is absent until a caller was admitted. */
  let expectedVersion: number | undefined;
  try {
    return await retryOnConflict(async () => {
      const loaded = await store.load(id);
      admit(loaded);
      expectedVersion = loaded.version;
      const buildClaim = await record.claim(trace.trigger);
      const wanted = await command(loaded);
      const events = store.decider.decide(loaded.state, wanted, { now: clock.now() });
      const commit =
        events.length > 0 ? store.buildCommit(loaded, events, trace, { requestHash: record.requestHash }) : undefined;
      const after = commit ? store.applyCommit(loaded, commit) : loaded;
      const claim = buildClaim(after.version);
      const more = commit && alongside?.(commit, events);
      try {
        const change = commit ? store.appendWrite(commit) : store.unchangedCheck(loaded);
        await transact([claim, change, ...(more?.writes ?? [])]);
      } catch (error) {
        if (!(error instanceof TransactionRefused)) throw error;
        if (error.conditionFailedFor(claim)) return replay(options, record.readEarlier(error.existingItem(claim)));
        const refused = more?.writes.find((write) => error.conditionFailedFor(write));
        if (more && refused) more.refuse?.(error.existingItem(refused));
        throw error;
      }
      return { loaded: after, replayed: false, changed: commit !== undefined };
    });
  } catch (error) {
    if (expectedVersion === undefined) throw error;
    const earlier = await findReplay(options);
    if (earlier) return earlier;
    if (!(error instanceof WriteConflict) || error instanceof Throttled) throw error;
    const { version: foundVersion } = await store.load(id);
    throw new Problem(
      'conflict',
      'other requests changed the same resource: try again',
      { retryAfterSeconds: 1, versions: { expectedVersion, foundVersion } },
      { cause: error },
    );
  }
}

/** Returns the answer of this request's earlier success, if it had one. */
async function findReplay<State, Command, Event extends AnyEvent>(
  options: ChangeOnce<State, Command, Event>,
): Promise<Change<State> | undefined> {
  const earlier = await options.record.find();
  return earlier && replay(options, earlier);
}

/** Computes the answer of an earlier success from the version that it showed. */
async function replay<State, Command, Event extends AnyEvent>(
  { store, id, record, trace }: ChangeOnce<State, Command, Event>,
  { version, requestHash, trigger }: EarlierRequest,
): Promise<Change<State>> {
  if (!isSameRequest(record, requestHash)) record.refuseReused();
  const loaded = await store.loadVersion(id, version);
  if (!loaded) throw new Error('the record of the request names a version that its aggregate does not have');
  const changed = loaded.commits.at(-1)?.trigger === trigger;
  const isRepeat = trigger !== trace.trigger;
  if (isRepeat) await record.recordRepeat();
  return { loaded, replayed: isRepeat, changed };
}
