import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { CREDENTIALS_ALIAS } from '../../packages/kit/service/bundles.js';
import { Assembly, type TemplateChange } from '../../packages/simulator/assembly/assembly.js';
import type { JsonObject } from '../../packages/simulator/assembly/intrinsics.js';
import { Cloud, Deployment } from '../../packages/simulator/cloud.js';
import { assembly } from '../local/assembly.js';

// npm run bench:hot-key: reservations of one SKU by four consumers at once, in the simulator, with its model of transaction
// conflicts and latencies. Side by side: a plain transaction for each message, the lane, and a handler as Powertools would
// have it.

const SKU = 'SALE-1';
const RESERVATIONS = 2_000;
/** A quarter of the orders gets nothing, so exactness shows. */
const STOCK = 1_500;
const CONSUMERS = 4;
const DUPLICATES = [0, 0.1, 0.5];

const CONSUMER = 'Inventory/OnCommands';
const WRITER = 'Inventory/CommandsLane/Writer';

interface Way {
  readonly name: string;
  /** Variables of the consumer. */
  readonly variables: Readonly<Record<string, string>>;
  /** Code of the consumer, instead of what is deployed. */
  readonly code?: string;
}

const NEVER_HOT = { LANE_HOT_KEYS: '[]', LANE_CONFLICTS_PER_SECOND: '1000000' };
const WAYS: readonly (() => Way)[] = [
  () => ({ name: 'plain transaction', variables: NEVER_HOT }),
  () => ({ name: 'lane, by setting', variables: { ...NEVER_HOT, LANE_HOT_KEYS: JSON.stringify([SKU]) } }),
  () => ({ name: 'lane, by itself', variables: {} }),
  () => ({ name: 'Powertools', variables: NEVER_HOT, code: powertools() }),
];

function powertools(): string {
  const entry = fileURLToPath(new URL('hot-key-powertools.lambda.ts', import.meta.url));
  const options = { bundle: true, write: false, platform: 'node', target: 'node20', format: 'cjs' } as const;
  const { outputFiles } = buildSync({
    ...options,
    entryPoints: [entry],
    mainFields: ['module', 'main'],
    alias: CREDENTIALS_ALIAS,
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}

type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties: JsonObject }>>;

/** Returns the deployment of one way: four consumers, no relay, and what Powertools needs besides: deletion of its records. */
function deploymentOf(folder: string, { variables, code }: Way): Deployment {
  const change: TemplateChange = (template, stack) => {
    if (!stack.endsWith('Inventory')) return template;
    const resources = Object.entries(template.Resources as unknown as Resources).map(([id, resource]) => {
      const { Type, Properties } = resource;
      if (Type === 'AWS::Lambda::EventSourceMapping' && id.startsWith('OnCommands')) {
        return [id, { ...resource, Properties: { ...Properties, ScalingConfig: { MaximumConcurrency: CONSUMERS } } }];
      }
      if (Type === 'AWS::Lambda::EventSourceMapping' && id.startsWith('OutboxStream')) {
        return [id, { ...resource, Properties: { ...Properties, Enabled: false } }];
      }
      if (Type === 'AWS::Lambda::Function' && id.startsWith('OnCommands')) {
        const { Variables } = Properties.Environment as { readonly Variables: JsonObject };
        return [
          id,
          { ...resource, Properties: { ...Properties, Environment: { Variables: { ...Variables, ...variables } } } },
        ];
      }
      if (code !== undefined && Type === 'AWS::IAM::Policy' && id.startsWith('OnCommandsRole')) {
        return [
          id,
          JSON.parse(
            JSON.stringify(resource).replaceAll('"dynamodb:GetItem"', '"dynamodb:GetItem","dynamodb:DeleteItem"'),
          ),
        ];
      }
      return [id, resource];
    });
    return { ...template, Resources: Object.fromEntries(resources) };
  };
  const sound = new Assembly(folder, change);
  return new Deployment(sound, (source, label) => (label === CONSUMER && code !== undefined ? code : source));
}

interface Measured {
  readonly seconds: number;
  readonly calls: number;
  readonly deliveries: number;
  readonly isExact: boolean;
}

async function play(deployment: Deployment, duplicates: number): Promise<Measured> {
  const cloud = new Cloud(deployment, { seed: `hot-key/${duplicates}`, keepTrace: false });
  const { world } = cloud;
  const table = String(tableOf(deployment));
  const item = { pk: `StockItem#${SKU}`, sk: 'STATE', onHand: STOCK, reserved: 0, available: STOCK, version: 1 };
  cloud.dynamodb.call('PutItem', { TableName: table, Item: dynamo(item) });
  const random = world.random.fork('orders');
  const orders = Array.from({ length: RESERVATIONS }, (_, number) =>
    command(`order-${number}`, random.id(), world.now),
  );
  const again = random.shuffled(orders).slice(0, RESERVATIONS * duplicates);
  const deliveries = random.shuffled([...orders, ...again]);
  const queue = cloud.queue('Inventory/Commands/Queue');
  for (const body of deliveries) queue.send({ body, group: `group-${random.between(1, 500)}` });
  const begun = world.now;
  await world.settle();
  const calls = cloud.tableCalls.filter(({ fn }) => fn === CONSUMER || fn === WRITER);
  const ended = Math.max(
    ...calls.flatMap(({ at, effects }) =>
      effects.changes.some(({ key }) => key.pk && 'S' in key.pk && key.pk.S?.startsWith('Reservation#')) ? [at] : [],
    ),
  );
  return {
    seconds: (ended - begun) / 1000,
    calls: calls.length,
    deliveries: deliveries.length,
    isExact: isExact(cloud, table),
  };
}

/** Checks that each order has one reservation, that the stock is used up, and that the counter shows what is reserved. */
function isExact(cloud: Cloud, table: string): boolean {
  const items = cloud.itemsOf(table);
  const facts = items.flatMap(({ pk, events }) =>
    String(pk).startsWith('Reservation#')
      ? (events as readonly { readonly type: string }[]).map(({ type }) => type)
      : [],
  );
  const count = (type: string): number => facts.filter((one) => one === type).length;
  const counter = items.find(({ pk }) => pk === `StockItem#${SKU}`);
  return (
    count('StockReserved') === STOCK &&
    count('StockRejected') === RESERVATIONS - STOCK &&
    counter?.reserved === STOCK &&
    counter.available === 0
  );
}

const tableOf = ({ assembly: { outputs } }: Deployment): unknown =>
  [...outputs].find(([name]) => name.endsWith('Inventory.TableName'))?.[1];

const dynamo = (item: Readonly<Record<string, string | number>>): object =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]),
  );

function command(orderId: string, id: string, now: number): string {
  const detail = {
    id,
    source: 'orderly.orders',
    to: 'inventory',
    type: 'ReserveStock',
    subject: `CreateOrderSaga/${orderId}`,
    time: new Date(now).toISOString(),
    dataschema: 'urn:orderly:inventory:ReserveStock:1',
    data: { orderId, stepId: `${orderId}/reserve`, lines: [{ sku: SKU, quantity: 1 }] },
    sequence: 1,
    epoch: 0,
    correlationid: orderId,
    causationid: orderId,
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    actor: 'service:orders',
  };
  return JSON.stringify({ source: detail.source, 'detail-type': detail.type, detail });
}

/** Prints the table. @returns 1 if a stock is not exact, or the lane misses its goal */
export async function main(): Promise<number> {
  const { folder } = assembly('dev');
  console.log('| duplicates | way | seconds | reservations a second | DynamoDB calls a message | stock |');
  console.log('|---|---|---|---|---|---|');
  let missed = false;
  for (const duplicates of DUPLICATES) {
    const rates = new Map<string, { readonly rate: number; readonly calls: number }>();
    for (const wayOf of WAYS) {
      const way = wayOf();
      const { seconds, calls, deliveries, isExact } = await play(deploymentOf(folder, way), duplicates);
      const rate = RESERVATIONS / seconds;
      const each = calls / deliveries;
      rates.set(way.name, { rate, calls: each });
      missed ||= !isExact;
      console.log(
        `| ${duplicates * 100} % | ${way.name} | ${seconds.toFixed(1)} | ${rate.toFixed(0)} | ${each.toFixed(2)} | ${isExact ? 'exact' : 'WRONG'} |`,
      );
    }
    const lane = rates.get('lane, by setting');
    const powertools = rates.get('Powertools');
    missed ||= !lane || !powertools || lane.rate < 5 * powertools.rate || lane.calls > 0.2;
  }
  return missed ? 1 : 0;
}
