import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Assembly } from '../../../packages/simulator/assembly/assembly.js';
import { Cloud, Deployment } from '../../../packages/simulator/cloud/cloud.js';
import type { ApiResponse } from '../../../packages/simulator/services/apigateway/messages.js';
import { type CountedCase, rounded, timesEach } from '../counts.js';
import { Meter } from '../meter.js';
import { findTriggers, type Trigger } from '../triggers.js';
import { type Leader, PROVIDER, synthesize } from './app/app.js';

/** Counts of the rival. */
export interface CountedRival extends CountedCase {
  readonly triggers: Readonly<Record<string, Trigger>>;
  readonly memory: Readonly<Record<string, number>>;
  /** Transitions of a state machine: the states that were entered, and the end. */
  readonly transitions: number;
}

const ORDERS = 4;
const ONE = 60_000;
const SKUS = ['tea', 'cups'];
const PRICE = 350;

/** Deploys a rival into a simulated cloud, and places an order. @param folder for its assembly */
export async function playRival(
  folder: string,
  leads: Leader,
): Promise<{ readonly cloud: Cloud; readonly order: () => Promise<void> }> {
  const cloud = new Cloud(new Deployment(new Assembly(synthesize(folder, leads))), { seed: 'the rival', steady: true });
  let charges = 0;
  cloud.thirdParties.add(PROVIDER, {
    answer: () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: `charge-${++charges}` }),
    }),
    refuse: () => ({ status: 429, headers: {}, body: '' }),
  });
  stock(cloud);
  let orders = 0;
  const order = (): Promise<void> => place(cloud, orders++);
  await order();
  return { cloud, order };
}

/** Plays approved orders of two lines at a rival with Powertools and an outbox, each order alone. */
export async function countRival(leads: Leader): Promise<CountedRival> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-rival-'));
  try {
    const { cloud, order } = await playRival(folder, leads);
    const meter = new Meter(cloud);
    const before = transitionsOf(cloud);
    for (let number = 0; number < ORDERS; number++) await order();
    const { functions, events } = meter.end();
    refuseUnapproved(cloud);
    const all = findTriggers(cloud);
    const labels = Object.keys(functions).filter((fn) => all.has(fn));
    return {
      played: ORDERS,
      transitions: (transitionsOf(cloud) - before) / ORDERS,
      functions: timesEach(functions, 1 / ORDERS),
      events: Object.fromEntries(Object.entries(events).map(([type, entries]) => [type, rounded(entries / ORDERS)])),
      triggers: Object.fromEntries(labels.map((fn) => [fn, all.get(fn) as Trigger])),
      memory: Object.fromEntries(labels.map((fn) => [fn, Number(cloud.fn(fn).resource.properties.MemorySize ?? 128)])),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** AWS Step Functions pricing: a transition for each step of a Standard workflow that is executed. Its end is one, too. */
const transitionsOf = ({ machines }: Cloud): number =>
  machines.executions
    .filter(({ machine }) => !machine.isExpress)
    .reduce((sum, { events }) => sum + 1 + events.filter(({ type }) => type.endsWith('StateEntered')).length, 0);

function stock(cloud: Cloud): void {
  const tableOf = (service: string): string => {
    const tables = cloud.deployment.assembly.findByType('AWS::DynamoDB::Table');
    const found = tables.find(({ label }) => label.startsWith(`${service}/Table`));
    if (!found) throw new Error(`the rival has no table of ${service}: ${tables.map(({ label }) => label).join(', ')}`);
    return found.ref;
  };
  for (const sku of SKUS) {
    const key = (kind: string) => ({ pk: { S: `${kind}#${sku}` }, sk: { S: kind } });
    cloud.dynamodb.call('PutItem', {
      TableName: tableOf('Catalog'),
      Item: { ...key('PRICE'), amount: { N: String(PRICE) } },
    });
    cloud.dynamodb.call('PutItem', {
      TableName: tableOf('Inventory'),
      Item: { ...key('STOCK'), available: { N: '1000' } },
    });
  }
}

async function place(cloud: Cloud, number: number): Promise<void> {
  const lines = SKUS.map((sku) => ({ sku, quantity: 1, amount: PRICE }));
  const headers = { 'Idempotency-Key': `key-${number}`, 'Content-Type': 'application/json' };
  let answer: ApiResponse | undefined;
  const body = JSON.stringify({ customerId: 'rita', lines });
  cloud.apis[0]?.request({ method: 'POST', path: '/orders', headers, body }, (response) => {
    answer = response;
  });
  await cloud.world.pass(ONE);
  if (answer?.status !== 201) throw new Error(`the rival answered ${answer?.status}: ${answer?.body}`);
}

/** @throws {Error} if an order isn't approved: then something else was counted */
function refuseUnapproved(cloud: Cloud): void {
  const tables = cloud.deployment.assembly.findByType('AWS::DynamoDB::Table');
  const orders = tables.flatMap(({ ref }) => cloud.listItems(ref)).filter(({ sk }) => sk === 'ORDER');
  const open = orders.filter(({ status }) => status !== 'APPROVED');
  if (orders.length !== ORDERS + 1 || open.length > 0)
    throw new Error(
      `${open.length} of the rival's ${orders.length} orders are not approved:\n${cloud.world.trace.lines.slice(-30).join('\n')}`,
    );
}
