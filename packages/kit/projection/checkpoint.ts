import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documentClient, TransactionRefused, type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { retryOnConflict } from '../aws/optimistic-retry.js';
import { WriteConflict } from '../aws/write-conflict.js';
import { type Counts, PROJECTIONS, type Rebuild } from './contract.js';
import { type Projection, readVersions } from './projection.js';
import { pointerKey } from './versions.js';

/** Number of differences that a checkpoint lists by name. */
export const MAX_NAMED_DIFFERENCES = 20;

const ZERO_COUNTS: Counts = {
  commits: 0,
  aggregates: 0,
  compared: 0,
  completed: 0,
  pending: 0,
  differences: 0,
  deleted: 0,
};

/**
 * Error for a checkpoint that another writer has changed: another runner, or a discard. Work since the last checkpoint
 * may be done again.
 */
export class CheckpointMoved extends WriteConflict {
  override readonly name = 'CheckpointMoved';
}

/**
 * Progress of a projection's rebuild. This class is the only writer of the checkpoint and of the pointer.
 *
 * The pointer changes only in a transaction with the checkpoint, whose revision guards both (a fencing token). A runner
 * that decides on an outdated revision is refused:
 *
 *     one runner                              another
 *     compares the last page
 *                                             compares it too, switches: version 2 is read
 *                                             deletes version 1, ends; the next rebuild begins: 3 is being built
 *     switches to version 2: refused, or version 3 would not be built any more
 */
export class Checkpoint {
  constructor(private readonly projection: Pick<Projection, 'name' | 'table' | 'shape'>) {}

  /** Reads the checkpoint, strongly consistent. */
  async read(): Promise<Rebuild | undefined> {
    const { table: TableName, name } = this.projection;
    const { Item } = await documentClient.send(
      new GetCommand({ TableName, Key: checkpointKey(name), ConsistentRead: true }),
    );
    return Item?.rebuild as Rebuild | undefined;
  }

  /**
   * Begins a rebuild. From now on, every event is shown in a new version too. A running rebuild is left as it is.
   * @throws {WriteConflict} after five lost races
   */
  async begin(purpose: Rebuild['purpose']): Promise<void> {
    await retryOnConflict(async () => {
      const before = await this.read();
      if (before && before.phase !== 'DONE') return;
      const versions = await readVersions(this.projection, 'newest');
      const builds = versions.last + 1;
      const rebuild: Rebuild = {
        revision: (before?.revision ?? 0) + 1,
        purpose,
        phase: 'REPLAY',
        replaces: versions.reads,
        builds,
        ...(this.projection.shape === undefined ? {} : { shape: this.projection.shape }),
        startedAt: clock.now(),
        counts: ZERO_COUNTS,
        differences: [],
      };
      const pointer: TransactWriteItem = {
        Update: {
          TableName: this.projection.table,
          Key: pointerKey(this.projection.name),
          UpdateExpression: 'SET #reads = :reads, #builds = :builds, #last = :builds',
          ExpressionAttributeNames: { '#reads': 'reads', '#builds': 'builds', '#last': 'last' },
          ExpressionAttributeValues: { ':reads': versions.reads, ':builds': builds },
        },
      };
      await transact([pointer, this.write(rebuild, before?.revision)]);
    });
  }

  /**
   * Saves the progress.
   * @throws {CheckpointMoved} if another writer has changed the checkpoint
   */
  async save(rebuild: Rebuild): Promise<Rebuild> {
    const next = { ...rebuild, revision: rebuild.revision + 1 };
    const { Update } = this.write(next, rebuild.revision);
    try {
      await documentClient.send(new UpdateCommand(Update));
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) throw new CheckpointMoved('save', { cause: error });
      throw error;
    }
    return next;
  }

  /**
   * Ends the build: the pointer names one version again. From here on, the rebuild can only continue to its end.
   * @param keeps version that stays: the new one, or the one that it was to replace
   * @throws {CheckpointMoved} if another runner saved a page or decided, or an operator discarded the rebuild
   */
  async decide(rebuild: Rebuild, keeps: number): Promise<Rebuild> {
    const { position: _, ...rest } = rebuild;
    const next: Rebuild = {
      ...rest,
      revision: rebuild.revision + 1,
      phase: 'DELETE',
      keeps,
      decidedAt: clock.now(),
    };
    const { shape } = rebuild;
    const isShaped = keeps === rebuild.builds && shape !== undefined;
    const pointer: TransactWriteItem = {
      Update: {
        TableName: this.projection.table,
        Key: pointerKey(this.projection.name),
        UpdateExpression: `SET #reads = :keeps${isShaped ? ', #shape = :shape, #shaped = :keeps' : ''} REMOVE #builds`,
        ExpressionAttributeNames: {
          '#reads': 'reads',
          '#builds': 'builds',
          ...(isShaped ? { '#shape': 'shape', '#shaped': 'shaped' } : {}),
        },
        ExpressionAttributeValues: { ':keeps': keeps, ...(isShaped ? { ':shape': shape } : {}) },
      },
    };
    try {
      await transact([pointer, this.write(next, rebuild.revision)]);
    } catch (error) {
      if (error instanceof TransactionRefused) throw new CheckpointMoved('decide', { cause: error });
      throw error;
    }
    return next;
  }

  /**
   * Returns an Update that fits both a call of its own and a transaction.
   * @param after revision at which the checkpoint was read. It is absent if there was no rebuild.
   */
  private write(rebuild: Rebuild, after: number | undefined) {
    const isAsRead = after === undefined ? 'attribute_not_exists(pk)' : '#rebuild.#revision = :after';
    return {
      Update: {
        TableName: this.projection.table,
        Key: checkpointKey(this.projection.name),
        UpdateExpression: 'SET #rebuild = :rebuild',
        ConditionExpression: isAsRead,
        ExpressionAttributeNames: {
          '#rebuild': 'rebuild',
          ...(after === undefined ? {} : { '#revision': 'revision' }),
        },
        ExpressionAttributeValues: { ':rebuild': rebuild, ...(after === undefined ? {} : { ':after': after }) },
      },
    };
  }
}

const checkpointKey = (name: string) => ({ pk: PROJECTIONS + name, sk: 'REBUILD' });
