import { Consumption } from '../capacity.js';
import { NotModelled, notFound, validation } from '../errors.js';
import type { Hold, Holds } from '../holds.js';
import type { Table } from '../table.js';
import type { Change, Effects, Item, ItemKey, WireObject } from '../wire.js';

/** State of the model that outlives a call. */
export interface World {
  readonly tables: ReadonlyMap<string, Table>;
  readonly holds: Holds;
  readonly now: () => number;
  readonly random: () => number;
}

/** One call: it finds the tables, and records the call's effects. */
export class Call {
  readonly consumption = new Consumption();
  readonly conditions: Effects['conditions'][number][] = [];
  private readonly changes: Change[] = [];

  constructor(
    readonly world: World,
    private readonly hold: Hold | undefined,
  ) {}

  /** Returns a table by name or ARN. @throws {DynamoDbError} ResourceNotFoundException */
  table(name: unknown): Table {
    if (typeof name !== 'string') throw nullMember('tableName');
    const table = this.world.tables.get(name.startsWith('arn:') ? name.slice(name.indexOf('/') + 1) : name);
    if (!table) throw notFound();
    return table;
  }

  /** Checks whether another request's transaction is in progress on the item. */
  isHeld(item: ItemKey): boolean {
    return this.world.holds.has(item, this.hold);
  }

  isTokenHeld(token: string): boolean {
    return this.world.holds.hasToken(token, this.hold);
  }

  judge(item: ItemKey, condition: (item: Item) => boolean, found: Item | undefined): boolean {
    const holds = condition(found ?? {});
    this.conditions.push({ ...item, holds });
    return holds;
  }

  /** Writes changes that belong together: to tables, their indexes and their streams. */
  commit(changes: readonly Change[]): void {
    const byTable = new Map<Table, Change[]>();
    for (const change of changes) {
      const table = this.table(change.table);
      for (const [index, units] of table.write(change)) this.consumption.write(table.name, units, index);
      byTable.set(table, [...(byTable.get(table) ?? []), change]);
      this.changes.push(change);
    }
    for (const [table, its] of byTable) table.stream?.append(its, this.world.now());
  }

  effects(): Effects {
    return { consumed: this.consumption.list(), conditions: this.conditions, changes: this.changes };
  }
}

export const nullMember = (member: string) =>
  validation(
    `1 validation error detected: Value null at '${member}' failed to satisfy constraint: Member must not be null`,
  );

/** @throws {NotModelled} if a request contains a member that this model would ignore */
export function allow(input: WireObject, ...members: readonly string[]): void {
  for (const member in input) {
    if (input[member] !== undefined && !members.includes(member)) throw new NotModelled(`request member ${member}`);
  }
}

/** @throws {DynamoDbError} ValidationException if the member is neither absent nor one of the values */
export function choice<T extends string>(input: WireObject, member: string, values: readonly T[]): T | undefined {
  const given = input[member];
  if (given === undefined || values.includes(given as T)) return given as T | undefined;
  const name = member.charAt(0).toLowerCase() + member.slice(1);
  throw validation(
    `1 validation error detected: Value '${String(given)}' at '${name}' failed to satisfy constraint: Member must satisfy enum value set: [${values.join(', ')}]`,
  );
}

export const CAPACITY = ['INDEXES', 'TOTAL', 'NONE'] as const;

export function textMember(input: WireObject, member: string): string | undefined {
  const given = input[member];
  if (given === undefined || typeof given === 'string') return given;
  throw validation(`${member} must be a string`);
}
