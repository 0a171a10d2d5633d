import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../../platform/clock.js';
import { documents, type Item, TransactionRefused, type TransactWriteItem, transact } from '../../platform/dynamodb.js';
import { Problem, Throttled, WriteConflict } from '../../platform/errors.js';
import { untilRaceIsWon } from '../../platform/lost-races.js';
import type { AnyEvent } from '../contract.js';
import type { Loaded, TransactionalEventStore } from '../event-store/event-store.js';
import type { Trace } from '../trace.js';
import type { Outcome } from './create-once.js';
import { checkSameRequest, type IdempotencyKey, refuseExpired } from './idempotency-key.js';

export interface ChangeOnce<State, Event extends AnyEvent> {
  readonly store: TransactionalEventStore<State, Event>;
  readonly id: string;
  readonly key: IdempotencyKey;
  readonly trace: Trace;
  /** The service's idempotency table, and how long a repeat is recognised. */
  readonly records: { readonly table: string; readonly windowSeconds: number };
  /** Whether the caller may see the aggregate at all; throws where not, and nothing is looked up. */
  readonly admit: (loaded: Loaded<State>) => void;
  /** What is to happen; throws where the business forbids it. */
  readonly decide: (loaded: Loaded<State>) => readonly Event[];
}

/**
 * Changes an aggregate at most once per key, for the window (design G2): the record of the request commits in one
 * transaction with the change, and says which version answers it. A decision that changes nothing is recorded too, with
 * a check that nothing happened meanwhile.
 *
 * A refusal may be no more than the request's own earlier success seen again ("already cancelled"): so the record is
 * read after it, strongly consistent, before it is answered.
 *
 * @throws {Problem} 422 where the key came with another request, or its first use comes too late; 409 after five lost races,
 *   with the version that was expected and the one that was found
 * @throws what `admit` and `decide` throw
 */
export async function changeOnce<State, Event extends AnyEvent>(
  options: ChangeOnce<State, Event>,
): Promise<Outcome<State>> {
  const { store, id, key, trace, admit, decide } = options;
  /** Version of the newest decision; none as long as nobody was admitted. */
  let expectedVersion: number | undefined;
  try {
    return await untilRaceIsWon(async () => {
      const loaded = await store.load(id);
      admit(loaded);
      expectedVersion = loaded.version;
      if (key.expired) return (await replayed(options)) ?? refuseExpired();
      const events = decide(loaded);
      const commit =
        events.length > 0 ? store.commit(loaded, events, trace, { requestHash: key.requestHash }) : undefined;
      const after = commit ? store.after(loaded, commit) : loaded;
      const claim = claimOf(options, after.version);
      try {
        await transact([claim, commit ? store.appendWrite(commit) : store.unchangedCheck(loaded)]);
      } catch (error) {
        if (!(error instanceof TransactionRefused && error.because(claim))) throw error;
        return replayOf(options, error.found(claim) ?? {});
      }
      return { loaded: after, replayed: false };
    });
  } catch (error) {
    if (expectedVersion === undefined) throw error;
    const earlier = await replayed(options);
    if (earlier) return earlier;
    if (!(error instanceof WriteConflict) || error instanceof Throttled) throw error;
    const { version: foundVersion } = await store.load(id);
    throw new Problem(
      'conflict',
      'others were changing the same thing: try again',
      { retryAfterSeconds: 1, versions: { expectedVersion, foundVersion } },
      { cause: error },
    );
  }
}

const recordKey = ({ key }: Pick<ChangeOnce<never, never>, 'key'>): { pk: string } => ({ pk: `api#${key.scope}` });

function claimOf<State, Event extends AnyEvent>(options: ChangeOnce<State, Event>, version: number): TransactWriteItem {
  const { key, trace, records } = options;
  const isNew = 'attribute_not_exists(pk)';
  const Item = {
    ...recordKey(options),
    version,
    requestHash: key.requestHash,
    trigger: trace.trigger,
    expiresAt: clock.epochSeconds() + records.windowSeconds,
  };
  return {
    Put: { TableName: records.table, Item, ConditionExpression: isNew, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  };
}

/** The answer of this request's earlier success, where it had one. */
async function replayed<State, Event extends AnyEvent>(
  options: ChangeOnce<State, Event>,
): Promise<Outcome<State> | undefined> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: options.records.table, Key: recordKey(options), ConsistentRead: true }),
  );
  return Item && replayOf(options, Item);
}

/** The answer is worked out again from the version that it showed. */
async function replayOf<State, Event extends AnyEvent>(
  options: ChangeOnce<State, Event>,
  record: Item,
): Promise<Outcome<State>> {
  checkSameRequest(options.key, record.requestHash);
  const loaded = await options.store.loadVersion(options.id, Number(record.version));
  if (!loaded) throw new Error('a record names a version that its aggregate has not');
  return { loaded, replayed: record.trigger !== options.trace.trigger };
}
