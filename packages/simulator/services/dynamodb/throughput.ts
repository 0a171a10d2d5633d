/**
 * Throughput of partitions. AWS, "Designing partition keys" (1,000 write and 3,000 read units a partition and second, of a
 * table and of an index alike), "DynamoDB on-demand capacity mode" (a new table takes 4,000 writes and 12,000 reads a second:
 * four partitions), "Global secondary index write throttling and back pressure" (a write that an index can't take is refused).
 *
 * A request that finds units left is carried out whole, however many it takes. The model has no adaptive capacity: partitions
 * neither split nor share.
 */
import { hash } from './item-store.js';
import type { Table } from './table.js';
import type { IndexDefinition } from './table-definition.js';
import { keyText } from './values.js';
import type { AttributeValue, Change, Item } from './wire.js';

export interface PartitionLimits {
  /** Partitions of each table, and of each of its global indexes. */
  readonly partitions: number;
  /** Units of one partition per second. */
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Seconds for which a partition keeps units that were not used. AWS keeps 300 ("Burst capacity"), and promises none. */
  readonly burstSeconds: number;
}

export const AWS_PARTITION_LIMITS: PartitionLimits = {
  partitions: 4,
  readUnits: 3_000,
  writeUnits: 1_000,
  burstSeconds: 1,
};

/** Owner of the partition that has no units left. */
export type ThrottledOwner = 'table' | 'index';

interface Bucket {
  units: number;
  filledAt: number;
}

export class Throughput {
  private readonly buckets = new Map<string, Bucket>();

  /** @param now epoch ms */
  constructor(
    private readonly limits: PartitionLimits,
    private readonly now: () => number,
  ) {}

  /** Takes the units of a read, if its partition has any left. @returns whether it has */
  read(table: Table, key: AttributeValue, units: number, index?: IndexDefinition): boolean {
    const bucket = this.findBucket('read', table, key, index);
    if (bucket.units <= 0) return false;
    bucket.units -= units;
    return true;
  }

  /** Returns the first owner of a partition that the change would be written to and that has no units left. */
  refuses(table: Table, { key, before, after }: Change): ThrottledOwner | undefined {
    if (this.findBucket('write', table, partitionNumber(table, key)).units <= 0) return 'table';
    for (const index of globalIndexes(table)) {
      const keys = [before, after].map((item) => item?.[index.key.partition]);
      const isFull = keys.some((value) => value && this.findBucket('write', table, value, index).units <= 0);
      if (isFull) return 'index';
    }
    return undefined;
  }

  /** Takes the units of a write. @param units of the table @param ofIndexes units of its indexes */
  write(
    table: Table,
    { key, before, after }: Change,
    units: number,
    ofIndexes: ReadonlyMap<IndexDefinition, number>,
  ): void {
    this.findBucket('write', table, partitionNumber(table, key)).units -= units;
    for (const [index, written] of ofIndexes) {
      const value = (after ?? before)?.[index.key.partition] ?? before?.[index.key.partition];
      if (!index.local && value) this.findBucket('write', table, value, index).units -= written;
    }
  }

  private findBucket(kind: 'read' | 'write', table: Table, key: AttributeValue, index?: IndexDefinition): Bucket {
    const { partitions, readUnits, writeUnits, burstSeconds } = this.limits;
    const owner = index && !index.local ? `${table.name}/${index.name}` : table.name;
    const name = `${kind} ${owner} ${hash(keyText(key)) % partitions}`;
    const rate = kind === 'read' ? readUnits : writeUnits;
    const most = rate * burstSeconds;
    const now = this.now();
    const known = this.buckets.get(name) ?? { units: most, filledAt: now };
    const filled = Math.min(most, known.units + ((now - known.filledAt) / 1000) * rate);
    const bucket = { units: filled, filledAt: now };
    this.buckets.set(name, bucket);
    return bucket;
  }
}

const partitionNumber = (table: Table, key: Item): AttributeValue =>
  key[table.definition.key.partition] as AttributeValue;

const globalIndexes = (table: Table): readonly IndexDefinition[] =>
  [...table.definition.indexes.values()].filter(({ local }) => !local);
