import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type Item, TransactionRefused, type TransactWriteItem } from '../../packages/kit/aws/dynamodb.js';
import type { ServiceTables } from '../../packages/kit/testing/in-memory-tables.js';
import { DynamoDbError } from '../../packages/simulator/services/dynamodb/errors.js';
import { DynamoDbModel } from '../../packages/simulator/services/dynamodb/model.js';
import type { WireObject } from '../../packages/simulator/services/dynamodb/wire.js';
import { seededRandom } from '../../packages/simulator/support/dynamodb/random.js';

const OF_A_SERVICE = { table: ['pk', 'sk'], records: ['pk'] } as const;

/**
 * Tables of one service in the simulator's model of DynamoDB, for an `InMemoryService` whose writes have arithmetic and
 * conditions of their own, such as counters. No client of the SDK is involved.
 * @param tables names and their keys: `{ sandbox: ['pk'] }` @default the two tables of each service
 */
export function modelledTables(tables: Readonly<Record<string, readonly string[]>> = OF_A_SERVICE): ServiceTables {
  const model = new DynamoDbModel({ now: Date.now, random: seededRandom(1) });
  for (const [name, [hash = 'pk', range]] of Object.entries(tables)) {
    const names = [hash, ...(range === undefined ? [] : [range])];
    const Properties = {
      KeySchema: names.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' })),
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    };
    model.createTable(name, { Type: 'AWS::DynamoDB::GlobalTable', Properties });
  }
  const keyOf = (table: string, item: Item) =>
    wire(Object.fromEntries((tables[table] ?? []).map((name) => [name, item[name]])));
  return {
    async read(TableName, key) {
      const input = { TableName, Key: keyOf(TableName, key), ConsistentRead: true };
      const { Item } = model.call('GetItem', input).output as { Item?: WireItem };
      return Item && unmarshall(Item);
    },
    async query(TableName, pk) {
      const input = {
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: wire({ ':pk': pk }),
        ConsistentRead: true,
      };
      return (model.call('Query', input).output as { Items: WireItem[] }).Items.map((item) => unmarshall(item));
    },
    async transact(writes) {
      try {
        model.call('TransactWriteItems', { TransactItems: writes.map(wireWrite) });
      } catch (error) {
        if (!(error instanceof DynamoDbError && error.type === 'TransactionCanceledException')) throw error;
        throw new TransactionRefused(writes, error.body.CancellationReasons as never);
      }
    },
  };
}

type WireItem = Parameters<typeof unmarshall>[0];

const wire = (item: Item) => marshall(item, { removeUndefinedValues: true });

/** Returns a write as the document client would send it. */
function wireWrite(write: TransactWriteItem): WireObject {
  const [[kind, body] = ['', {}]] = Object.entries(write);
  const { Item, Key, ExpressionAttributeValues: values, ...others } = body as Readonly<Record<string, Item>>;
  return {
    [kind]: {
      ...others,
      ...(Item ? { Item: wire(Item) } : {}),
      ...(Key ? { Key: wire(Key) } : {}),
      ...(values ? { ExpressionAttributeValues: wire(values) } : {}),
    },
  } as WireObject;
}
