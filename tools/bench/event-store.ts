import { CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { clientConfig } from '@orderly/operator';
import * as z from 'zod/mini';
import type { Evolution } from '../../packages/kit/decider/decider.js';
import type { Loaded } from '../../packages/kit/event-store/event-store.js';
import type { Commit } from '../../packages/kit/messages/commit.js';
import { type EventOf, readEvent } from '../../packages/kit/messages/contract.js';
import { DynamoDbLocal } from '../local/dynamodb-local.js';
import { endpointEnvironment, endpointFromEnvironment } from '../local/endpoint.js';
import { install } from '../local/localstack/install.js';

// npm run bench:event-store: measures what it costs to load an aggregate, here and with one item per event, on the same
// table in the same run.

const EVENTS = [10, 100, 1_000, 10_000];
/** Loads of each aggregate. The median time is shown. */
const LOADS = 7;
/** Padding that makes a commit of one event about 1 KB large. */
const NOTE = 'x'.repeat(480);

const contract = {
  service: 'bench',
  events: { Paid: { version: 1, data: z.object({ amount: z.int(), note: z.string() }) } },
} as const;
type Paid = EventOf<typeof contract>;
type Purse = { readonly total: number };

const evolution: Evolution<Purse, Paid> = {
  initialState: { total: 0 },
  evolve: ({ total }, { data }) => ({ total: total + data.amount }),
  stateSchema: 1,
};
const trace = {
  trigger: '01a1f83c-e44b-763d-8f3e-a17318d26ae3',
  actor: 'customer:alice',
  correlationId: '01a1f83c-e339-7729-a427-ec03001b7bc6',
  traceparent: '00-57d4a9a0ed0185fe01fe51e6e817554d-b37fb0dff0958208-01',
};

const named = await endpointFromEnvironment();
const local = named ? undefined : await DynamoDbLocal.start((await install(console.error)).dynamodbLocal);
const endpoint = named ?? { url: local?.url, region: 'us-east-1', kind: 'other-emulator' as const };
Object.assign(process.env, endpointEnvironment(endpoint));
// The client reads the environment when it is created.
const { documentClient: documents } = await import('../../packages/kit/aws/dynamodb.js');
const { DynamoDbEventStore } = await import('../../packages/kit/event-store/dynamodb-event-store.js');

const client = new DynamoDBClient(clientConfig(endpoint));
const TableName = `orderly-bench-${Date.now()}`;
const shards = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];
const store = new DynamoDbEventStore<Purse, Paid>(
  { table: TableName, aggregate: 'Purse', contract, feedShards: shards },
  evolution,
);

let calls = 0;
let units = 0;
documents.middlewareStack.add(
  (next) => async (args) => {
    const answer = await next({
      ...args,
      input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as typeof args.input,
    });
    calls += 1;
    units += (answer.output as { ConsumedCapacity?: { CapacityUnits?: number } }).ConsumedCapacity?.CapacityUnits ?? 0;
    return answer;
  },
  { step: 'initialize' },
);

/** Writes an aggregate in both shapes. Each event is a commit of its own. */
async function write(id: string, events: number): Promise<void> {
  let loaded: Loaded<Purse> = await store.load(id);
  let items: object[] = [];
  for (let version = 1; version <= events; version++) {
    const commit = store.buildCommit(loaded, [{ type: 'Paid', data: { amount: 1, note: NOTE } }], trace);
    loaded = { ...store.applyCommit(loaded, commit), commits: [commit] };
    const { snapshot: _, ...event } = commit;
    items.push(commit, { ...event, pk: `Events#${id}` });
    if (items.length < 24 && version < events) continue;
    const requests = items.map((Item) => ({ PutRequest: { Item } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
    items = [];
  }
}

/** Loads the aggregate of the other shape: one item per event, without snapshots, folded from the beginning. */
async function loadEvents(id: string): Promise<number> {
  let { total } = evolution.initialState;
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new QueryCommand({
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': `Events#${id}` },
        ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
      }),
    );
    for (const { events } of (page.Items ?? []) as Commit[]) {
      for (const { type, schemaVersion, data } of events) {
        const event = readEvent(contract, type, schemaVersion, JSON.parse(data));
        ({ total } = evolution.evolve({ total }, event));
      }
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return total;
}

/**
 * Measures a load.
 * @returns cells of the table: calls, read units, milliseconds
 */
async function measured(events: number, load: () => Promise<number>): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < LOADS; round++) {
    calls = 0;
    units = 0;
    const since = performance.now();
    const total = await load();
    times.push(performance.now() - since);
    if (total !== events) throw new Error(`${total} of ${events} events were folded`);
  }
  const middle = times.toSorted((one, other) => one - other)[Math.floor(LOADS / 2)] ?? 0;
  return `${calls} | ${units.toLocaleString('en')} | ${middle.toFixed(middle < 100 ? 1 : 0)}`;
}

/** Prints the table, and deletes what it wrote. */
export async function main(): Promise<number> {
  try {
    const key = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [key('pk'), key('sk')],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      }),
    );
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
    console.log('| events | event store: calls | read units | ms | one item per event: calls | read units | ms |');
    console.log('|---|---|---|---|---|---|---|');
    for (const events of EVENTS) {
      const id = String(events);
      await write(id, events);
      const ours = await measured(events, async () => (await store.load(id)).state.total);
      console.log(`| ${events.toLocaleString('en')} | ${ours} | ${await measured(events, () => loadEvents(id))} |`);
    }
  } finally {
    if (!local) await client.send(new DeleteTableCommand({ TableName }));
    local?.stop();
  }
  return 0;
}
