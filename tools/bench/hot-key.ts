import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { CREDENTIALS_ALIAS } from '../../packages/kit/base/bundles.js';
import { Assembly, type TemplateChange } from '../../packages/simulator/assembly/assembly.js';
import type { JsonObject } from '../../packages/simulator/assembly/intrinsics.js';
import { Cloud, Deployment } from '../../packages/simulator/cloud/cloud.js';
import { assembly, DEV } from '../local/assembly.js';

// npm run bench:hot-key: reservations of one SKU by four consumers at once, in the simulator, with its model of transaction
// conflicts and latencies. Side by side: a plain transaction for each message, the lane, and a handler as Powertools would
// have it.

const SKU = 'SALE-1';
const RESERVATIONS = 2_000;
/** Part of the orders that get pieces. The others get nothing, so exactness shows. */
const SOLD = 0.75;
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
const PLAIN: Way = { name: 'plain transaction', variables: NEVER_HOT };
export const LANE: Way = {
  name: 'lane, by setting',
  variables: { ...NEVER_HOT, LANE_HOT_KEYS: JSON.stringify([SKU]) },
};
const LANE_BY_ITSELF: Way = { name: 'lane, by itself', variables: {} };
export const powertoolsWay = (): Way => ({ name: 'Powertools', variables: NEVER_HOT, code: powertools() });
/** Goals of the lane: its rate beside that of Powertools, and its calls for each message. */
export const MIN_SPEEDUP = 5;
export const MAX_CALL_RATIO = 0.2;

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

/**
 * Returns the deployment of one way: four consumers, no relay, and what Powertools needs besides: deletion of its records.
 * @param folder the app's assembly
 */
export function createDeployment(folder: string, { variables, code }: Way): Deployment {
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
      if (code !== undefined && Type === 'AWS::IAM::Role' && id.startsWith('OnCommandsRole')) {
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
  /** Reservations a second. */
  readonly rate: number;
  readonly seconds: number;
  /** DynamoDB calls of the consumer and the writer for each message. */
  readonly calls: number;
  /** Whether each order has one reservation, and the stock is used up to the last piece. */
  readonly isExact: boolean;
}

/** Plays reservations of one SKU. @param duplicates part of the messages that come twice */
export async function play(
  deployment: Deployment,
  { duplicates, reservations }: { readonly duplicates: number; readonly reservations: number },
): Promise<Measured> {
  const stock = reservations * SOLD;
  const cloud = new Cloud(deployment, { seed: `hot-key/${duplicates}`, keepTrace: false });
  const { world } = cloud;
  const table = String(findTableName(deployment));
  const item = { pk: `StockItem#${SKU}`, sk: 'STATE', onHand: stock, reserved: 0, available: stock, version: 1 };
  cloud.dynamodb.call('PutItem', { TableName: table, Item: dynamo(item) });
  const random = world.random.fork('orders');
  const orders = Array.from({ length: reservations }, (_, number) =>
    command(`order-${number}`, random.id(), world.now),
  );
  const again = random.shuffle(orders).slice(0, reservations * duplicates);
  const deliveries = random.shuffle([...orders, ...again]);
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
  const seconds = (ended - begun) / 1000;
  return {
    rate: reservations / seconds,
    seconds,
    calls: calls.length / deliveries.length,
    isExact: isExact(cloud, table, { reservations, stock }),
  };
}

/** Checks that each order has one reservation, that the stock is used up, and that the counter shows what is reserved. */
function isExact(
  cloud: Cloud,
  table: string,
  { reservations, stock }: { readonly reservations: number; readonly stock: number },
): boolean {
  const items = cloud.listItems(table);
  const facts = items.flatMap(({ pk, events }) =>
    String(pk).startsWith('Reservation#')
      ? (events as readonly { readonly type: string }[]).map(({ type }) => type)
      : [],
  );
  const count = (type: string): number => facts.filter((one) => one === type).length;
  const counter = items.find(({ pk }) => pk === `StockItem#${SKU}`);
  return (
    count('StockReserved') === stock &&
    count('StockRejected') === reservations - stock &&
    counter?.reserved === stock &&
    counter.available === 0
  );
}

const findTableName = ({ assembly: { outputs } }: Deployment): unknown =>
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
  const folder = assembly(DEV);
  console.log('| duplicates | way | seconds | reservations a second | DynamoDB calls a message | stock |');
  console.log('|---|---|---|---|---|---|');
  let missed = false;
  for (const duplicates of DUPLICATES) {
    const measured = new Map<string, Measured>();
    for (const way of [PLAIN, LANE, LANE_BY_ITSELF, powertoolsWay()]) {
      const found = await play(createDeployment(folder, way), { duplicates, reservations: RESERVATIONS });
      const { rate, seconds, calls, isExact } = found;
      measured.set(way.name, found);
      missed ||= !isExact;
      console.log(
        `| ${duplicates * 100} % | ${way.name} | ${seconds.toFixed(1)} | ${rate.toFixed(0)} | ${calls.toFixed(2)} | ${isExact ? 'exact' : 'WRONG'} |`,
      );
    }
    const [lane, powertools] = [measured.get(LANE.name), measured.get('Powertools')];
    missed ||= !lane || !powertools || lane.rate < MIN_SPEEDUP * powertools.rate || lane.calls > MAX_CALL_RATIO;
  }
  return missed ? 1 : 0;
}
