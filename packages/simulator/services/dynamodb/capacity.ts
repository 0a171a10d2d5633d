/**
 * Capacity that a call consumed, and `ConsumedCapacity` in its answer. AWS, "DynamoDB read and write operations"; "API
 * Reference: ConsumedCapacity".
 */
import type { Consumed, WireObject } from './wire.js';

interface Units {
  read: number;
  write: number;
}

/** A secondary index, as capacity is reported for it. */
export interface CountedIndex {
  readonly name: string;
  readonly local: boolean;
}

interface UnitsOfTable {
  readonly own: Units;
  readonly indexes: Map<string, Units & { readonly local: boolean }>;
}

export class Consumption {
  private readonly tables = new Map<string, UnitsOfTable>();

  read(table: string, units: number, index?: CountedIndex): void {
    this.findUnits(table, index).read += units;
  }

  write(table: string, units: number, index?: CountedIndex): void {
    this.findUnits(table, index).write += units;
  }

  /** Returns the tables in the order of their first use. */
  list(): readonly Consumed[] {
    return [...this.tables].flatMap(([table, { own, indexes }]) => [
      { table, ...own },
      ...[...indexes].map(([index, { read, write }]) => ({ table, index, read, write })),
    ]);
  }

  /**
   * Builds the answer's `ConsumedCapacity`, as the request's `ReturnConsumedCapacity` wants it; nothing if that is NONE
   * or absent.
   * @param shape `one` for operations on one table, `many` for batches; `transaction` also lists reads and writes
   *   separately
   */
  report(wanted: unknown, shape: 'one' | 'many' | 'transaction'): WireObject {
    if (wanted !== 'TOTAL' && wanted !== 'INDEXES') return {};
    const units = (u: Units): WireObject => ({
      CapacityUnits: u.read + u.write,
      ...(shape === 'transaction' && u.read > 0 ? { ReadCapacityUnits: u.read } : {}),
      ...(shape === 'transaction' && u.write > 0 ? { WriteCapacityUnits: u.write } : {}),
    });
    const reports = [...this.tables].map(([TableName, { own, indexes }]) => {
      const all = [own, ...indexes.values()];
      const sum = { read: sumUnits(all.map(({ read }) => read)), write: sumUnits(all.map(({ write }) => write)) };
      const ofIndexes = (member: string, local: boolean): WireObject => {
        const these = [...indexes].filter(([, index]) => index.local === local);
        return these.length === 0 ? {} : { [member]: Object.fromEntries(these.map(([name, u]) => [name, units(u)])) };
      };
      return {
        TableName,
        ...units(sum),
        ...(wanted === 'INDEXES' ? { Table: units(own) } : {}),
        ...(wanted === 'INDEXES' ? ofIndexes('LocalSecondaryIndexes', true) : {}),
        ...(wanted === 'INDEXES' ? ofIndexes('GlobalSecondaryIndexes', false) : {}),
      };
    });
    return { ConsumedCapacity: shape === 'one' ? reports[0] : reports };
  }

  private findUnits(table: string, index: CountedIndex | undefined): Units {
    let found = this.tables.get(table);
    if (!found) {
      found = { own: { read: 0, write: 0 }, indexes: new Map() };
      this.tables.set(table, found);
    }
    if (index === undefined) return found.own;
    const units = found.indexes.get(index.name) ?? { read: 0, write: 0, local: index.local };
    found.indexes.set(index.name, units);
    return units;
  }
}

const sumUnits = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
