import { notFound } from '../errors.js';
import type { Stream } from '../stream.js';
import type { KeySchema } from '../table-definition.js';
import type { StreamViewType } from '../wire.js';

/** A disabled stream can be read for a day. AWS, "Change data capture for DynamoDB Streams" (disabling a stream). */
const RETENTION_MS = 24 * 60 * 60 * 1000;

export interface StreamEntry {
  readonly arn: string;
  /** Time of its creation, as ARNs contain it. */
  readonly label: string;
  readonly table: string;
  readonly view: StreamViewType;
  readonly key: KeySchema;
  readonly stream: Stream;
  readonly createdAt: number;
  /** Absent as long as it is enabled. */
  readonly disabledAt?: number;
}

/** The streams of all tables, also those of disabled and deleted ones. */
export class StreamArchive {
  private readonly entries = new Map<string, StreamEntry>();

  constructor(private readonly now: () => number) {}

  /** Returns a label that no stream of the table has. */
  newLabel(table: string, given: string | undefined): { readonly label: string; readonly isFirst: boolean } {
    const known = this.list().filter((entry) => entry.table === table);
    let at = this.now();
    let label = given ?? labelOf(at);
    while (known.some((entry) => entry.label === label)) label = labelOf(++at);
    return { label, isFirst: known.length === 0 };
  }

  add(entry: Omit<StreamEntry, 'createdAt' | 'disabledAt'>): void {
    this.entries.set(entry.arn, { ...entry, createdAt: this.now() });
  }

  disable(table: string): void {
    const found = this.current(table);
    if (found) this.entries.set(found.arn, { ...found, disabledAt: this.now() });
  }

  /** Returns the enabled stream of a table. */
  current(table: string): StreamEntry | undefined {
    for (const entry of this.entries.values()) {
      if (entry.table === table && entry.disabledAt === undefined) return entry;
    }
    return undefined;
  }

  /** Returns the newest stream of a table that has or had one. */
  latest(table: string, since: number): StreamEntry | undefined {
    return this.list().findLast((entry) => entry.table === table && entry.createdAt >= since);
  }

  /** @throws {DynamoDbError} ResourceNotFoundException */
  find(arn: unknown): StreamEntry {
    const found = this.list().find((entry) => entry.arn === arn);
    if (!found) throw notFound(`Stream: ${String(arn)} not found`);
    return found;
  }

  /** Returns all streams that can still be read, oldest first. */
  list(): readonly StreamEntry[] {
    for (const { arn, disabledAt } of this.entries.values()) {
      if (disabledAt !== undefined && disabledAt <= this.now() - RETENTION_MS) this.entries.delete(arn);
    }
    return [...this.entries.values()];
  }
}

const labelOf = (time: number): string => new Date(time).toISOString().slice(0, 23);
