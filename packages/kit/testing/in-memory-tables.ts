import { type Item, TransactionRefused, type TransactWriteItem } from '../aws/dynamodb.js';

/** The only condition that event stores and processed records need for messages from the bus. */
const IS_NEW = 'attribute_not_exists(pk)';

/**
 * Tables of one service in memory, with transactions. They know the writes of event stores and of processed records:
 * new items, and checks that there is no item. Anything else needs DynamoDB, or a model of it.
 */
export class InMemoryTables {
  private readonly items = new Map<string, Item>();

  /** Returns a copy of an item. */
  get(table: string, key: Item): Item | undefined {
    return structuredClone(this.items.get(nameOf(table, key)));
  }

  /** Returns copies of the items of one partition, by their sort key. */
  query(table: string, pk: string): readonly Item[] {
    const prefix = nameOf(table, { pk, sk: '' });
    const names = [...this.items.keys()].filter((name) => name.startsWith(prefix)).toSorted();
    return names.map((name) => structuredClone(this.items.get(name) as Item));
  }

  /** Puts an item, whatever is there. */
  put(table: string, item: Item): void {
    this.items.set(nameOf(table, item), structuredClone(item));
  }

  /**
   * Writes all or nothing.
   * @throws {TransactionRefused} if a condition fails
   * @throws {Error} if a write has a form that these tables do not know
   */
  async transact(writes: readonly TransactWriteItem[]): Promise<void> {
    const checks = writes.map(({ Put, ConditionCheck, ...others }) => {
      const { TableName = '', ConditionExpression: condition } = Put ?? ConditionCheck ?? {};
      const isKnown = Object.keys(others).length === 0 && (condition === IS_NEW || (Put && condition === undefined));
      if (!isKnown) throw new Error('these tables know puts and checks of new items only: use a model of DynamoDB');
      const exists = this.items.has(nameOf(TableName, Put?.Item ?? ConditionCheck?.Key ?? {}));
      return { Code: condition !== undefined && exists ? 'ConditionalCheckFailed' : 'None' };
    });
    if (checks.some(({ Code }) => Code !== 'None')) throw new TransactionRefused(writes, checks);
    for (const { Put } of writes) if (Put?.Item) this.put(Put.TableName ?? '', Put.Item);
  }
}

const nameOf = (table: string, { pk, sk = '' }: Item): string => JSON.stringify([table, pk, sk]).slice(0, -2);
