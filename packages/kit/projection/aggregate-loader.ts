import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../aws/dynamodb.js';
import { describeError, logger } from '../aws/telemetry.js';
import { WriteConflict } from '../aws/write-conflict.js';
import type { Loaded } from '../event-store/event-store.js';
import { bodyHashId } from '../failures/delivery.js';
import { isPermanent } from '../failures/failure-kinds.js';
import { FailureRecords, recordKey } from '../failures/failure-records.js';
import { ContractViolation } from '../messages/contract.js';
import type { Difference } from './contract.js';
import type { Projection } from './projection.js';

/** An aggregate that can't be loaded. */
export interface Unloadable {
  /** Difference to be reported; absent if an operator has discarded its failure. */
  readonly difference?: Difference;
}

/** Loads the aggregates of a projection for its rebuild. One that can't be loaded stops no other. */
export class AggregateLoader {
  private readonly failures: FailureRecords;

  /** @param records name of the service's idempotency table */
  constructor(
    private readonly projection: Projection,
    private readonly records: string,
  ) {
    this.failures = new FailureRecords(records, { name: projection.name, generation: 0 });
  }

  /**
   * Loads an aggregate. One that can't be loaded becomes a failure record of the projection, once, and is reported until an
   * operator discards that.
   * @throws what a call to AWS throws: the aggregate is not at fault
   * @throws {ContractViolation} for a type or a version of a newer release
   */
  async load(id: string): Promise<Loaded<unknown> | Unloadable> {
    try {
      return await this.projection.store.load(id);
    } catch (error) {
      // The SDK marks what a call has thrown.
      if (error instanceof WriteConflict || (error instanceof Error && '$metadata' in error)) throw error;
      // A newer release has written it, and may have written many: the rebuild waits for a deployment.
      if (error instanceof ContractViolation && !isPermanent(error, () => false)) throw error;
      return this.recordFailure(id, error);
    }
  }

  private async recordFailure(id: string, error: unknown): Promise<Unloadable> {
    const { name, aggregate } = this.projection;
    const subject = `${aggregate}/${id}`;
    // It is no message that could be sent again: its failure has the hash of its body for an id, as an unreadable message has.
    const payload = JSON.stringify({ rebuild: name, subject });
    const failure = bodyHashId(payload);
    const outcome = await this.failures.put({ id: failure, payload, error, subject });
    logger.error('an aggregate can not be loaded', { projection: name, outcome, ...describeError(error) });
    const isDiscarded = outcome === 'known' && (await this.readStatus(failure)) === 'DISCARDED';
    return isDiscarded ? {} : { difference: { subject, kind: 'unreadable' } };
  }

  private async readStatus(failure: string): Promise<unknown> {
    const Key = { pk: recordKey({ name: this.projection.name, generation: 0 }, failure) };
    const { Item } = await documentClient.send(new GetCommand({ TableName: this.records, Key, ConsistentRead: true }));
    return Item?.status;
  }
}
