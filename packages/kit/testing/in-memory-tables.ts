import { type Item, TransactionRefused, type TransactWriteItem } from '../aws/dynamodb.js';
import type { Table } from '../aws/table.js';

/**
 * Tables of one service, for its stores in memory. A test may bring tables of its own, for example over a model of
 * DynamoDB that knows every condition.
 */
export interface ServiceTables {
  /** Returns a copy of an item. */
  read(table: string, key: Item): Promise<Item | undefined>;
  /** Returns copies of the items of one partition, by their sort key. */
  query(table: string, pk: string): Promise<readonly Item[]>;
  /**
   * Writes all or nothing.
   * @throws {TransactionRefused} if a condition fails
   * @throws {Error} if a write has a form that these tables do not know
   */
  transact(writes: readonly TransactWriteItem[]): Promise<void>;
}

/** Returns one of these tables. */
export const createTable = (tables: ServiceTables, name: string): Table => ({
  name,
  read: (key) => tables.read(name, key),
  readAll: async (keys) =>
    (await Promise.all(keys.map((key) => tables.read(name, key)))).filter((item) => item !== undefined),
  transact: (writes) => tables.transact(writes),
});

/** Condition of a write whose key must be free. */
const IS_NEW = 'attribute_not_exists(pk)';
/** Condition of a write that depends on an attribute as it was read, such as `version = :version`. */
const IS_AS_READ = /^(\w+) = (:\w+)$/;

/**
 * Tables in memory, with transactions. They know puts, deletes and checks, and the conditions of the kit's own stores:
 * that there is no item, and that an attribute is as it was read. Anything else, such as arithmetic in an update, needs
 * a model of DynamoDB.
 */
export class InMemoryTables implements ServiceTables {
  private readonly items = new Map<string, Item>();

  async read(table: string, key: Item): Promise<Item | undefined> {
    return structuredClone(this.items.get(itemKey(table, key)));
  }

  async query(table: string, pk: string): Promise<readonly Item[]> {
    const prefix = itemKey(table, { pk, sk: '' });
    const names = [...this.items.keys()].filter((name) => name.startsWith(prefix)).toSorted();
    return names.map((name) => structuredClone(this.items.get(name) as Item));
  }

  async transact(writes: readonly TransactWriteItem[]): Promise<void> {
    const planned = writes.map((write) => this.plan(write));
    const checks = planned.map(({ holds }) => ({ Code: holds ? 'None' : 'ConditionalCheckFailed' }));
    if (planned.some(({ holds }) => !holds)) throw new TransactionRefused(writes, checks);
    for (const { apply } of planned) apply();
  }

  /** @throws {Error} if the write or its condition has a form that these tables do not know */
  private plan({ Put, Delete, ConditionCheck, Update }: TransactWriteItem): { holds: boolean; apply: () => void } {
    const write = Put ?? Delete ?? ConditionCheck;
    if (!write || Update) throw unsupportedForm('an update');
    const name = itemKey(write.TableName ?? '', Put?.Item ?? Delete?.Key ?? ConditionCheck?.Key ?? {});
    const { ConditionExpression: condition, ExpressionAttributeValues: values = {} } = write;
    return {
      holds: condition === undefined || conditionHolds(this.items.get(name), condition, values),
      apply: () => {
        if (Put) this.items.set(name, structuredClone(Put.Item ?? {}));
        if (Delete) this.items.delete(name);
      },
    };
  }
}

function conditionHolds(item: Item | undefined, condition: string, values: Readonly<Record<string, unknown>>): boolean {
  if (condition === IS_NEW) return item === undefined;
  const [, attribute, value] = IS_AS_READ.exec(condition) ?? [];
  if (attribute === undefined || value === undefined) throw unsupportedForm(`the condition ${condition}`);
  return item !== undefined && item[attribute] === values[value];
}

const unsupportedForm = (what: string): Error =>
  new Error(`these tables do not know ${what}: give the service the tables of a model of DynamoDB`);

const itemKey = (table: string, { pk, sk = '' }: Item): string => JSON.stringify([table, pk, sk]).slice(0, -2);
