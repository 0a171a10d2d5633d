import { parseArgs } from 'node:util';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { FixedFaults } from '../../packages/simulator/engine/faults.js';
import type { Item } from '../../packages/simulator/services/dynamodb/wire.js';
import { LocalRunError } from '../../tools/local/errors.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { Orderly } from '../support/simulation/orderly.js';
import { Restorer } from '../support/simulation/restorer.js';
import { MINUTE, orderOf, stocked } from './scenarios/shop.js';

const SERVICE = 'orders';
/** Orders that are played. All others are copies of them with other ids. */
const PLAYED = 10;
/** Orders that are placed after the instant, and forgotten. */
const LATER = 5;
/** One commit of so many is deleted by hand, and one state of so many is changed. */
const DAMAGED_ONE_OF = 20;
const DEFAULT_ORDERS = 1_000;

/** Counts of a drill. */
export interface Drill {
  readonly orders: number;
  /** Items of both tables at the instant. */
  readonly items: number;
  /** Items that were deleted or changed by hand afterwards. */
  readonly damaged: number;
  /** Orders that were placed after the instant, which the restore loses. */
  readonly lostOrders: number;
  /** Items that came afterwards, and must go. */
  readonly forgotten: number;
  /** Calls of the command, and how many of them were killed. */
  readonly calls: number;
  readonly deaths: number;
  /** Items that the calls together have read. */
  readonly itemsRead: number;
  /** Items that differ from the instant after the restore: 0. */
  readonly wrong: number;
  /** Whether an order that is placed afterwards is approved. */
  readonly works: boolean;
}

/**
 * Rehearses a restore of orders with many orders: it plays some, multiplies what they left in both tables, notes an instant,
 * damages the tables and places more orders, and has an operator run `restore apply`, who is killed now and then.
 */
export async function playRestoreDrill(orders: number, say: (line: string) => void = () => undefined): Promise<Drill> {
  const cloud = new Cloud(loadSharedDeployment(prodAssembly()), { seed: 'drill', faults: new FixedFaults([]) });
  const { world } = cloud;
  const orderly = new Orderly(cloud);
  const { table, records } =
    orderly.services.find(({ name }) => name === SERVICE) ?? failed(`there is no service ${SERVICE}`);
  const tables = [table, records];
  const place = async (customer: string): Promise<string> => {
    const { reply } = await orderly.call(orderOf(customer, 'drill', ['TEA-1']));
    return String(reply.body.orderId);
  };
  await stocked(orderly, { 'TEA-1': 1_000 });
  for (let n = 0; n < PLAYED; n++) await place(`customer-${n}`);
  await orderly.rest();
  for (const name of tables) multiply(cloud, name, Math.ceil(orders / PLAYED));
  await world.pass(5_000);
  const at = new Date(Math.floor(world.now / 1_000) * 1_000 - 2_000).toISOString();
  const before = snapshot(cloud, tables);
  say(`${orders} orders, ${before.size} items in ${tables.join(' and ')}; instant ${at}`);

  for (let n = 0; n < LATER; n++) await place(`later-${n}`);
  await orderly.rest();
  damage(cloud, table);
  const damagedState = snapshot(cloud, tables);
  const forgotten = [...damagedState.keys()].filter((key) => !before.has(key)).length;
  const damaged = differences(before, damagedState);
  say(`${damaged} items are deleted or changed by hand; ${LATER} orders came since, with ${forgotten} items`);

  // Point-in-time recovery knows instants that are five minutes old.
  await world.pass(6 * MINUTE);
  const restorer = new Restorer(orderly);
  await restorer.restore(SERVICE, at);
  const { calls, deaths, itemsRead } = restorer;
  say(`${calls} calls of restore apply, of which ${deaths} were killed, have read ${itemsRead} items`);
  const after = snapshot(cloud, tables);
  const extra = [...after.keys()].filter((key) => !before.has(key)).length;
  const wrong = differences(before, after) + extra;
  say(`${wrong} items differ from the instant after the restore`);
  await orderly.rest();
  const orderId = await place('afterwards');
  await orderly.rest();
  const { reply } = await orderly.call({ method: 'GET', path: `/orders/${orderId}`, as: 'afterwards' });
  const works = reply.body.status === 'APPROVED';
  say(`an order that is placed afterwards is ${reply.body.status}`);
  return {
    orders,
    items: before.size,
    damaged,
    lostOrders: LATER,
    forgotten,
    calls,
    deaths,
    itemsRead,
    wrong,
    works,
  };
}

/** Ids of orders, commits and messages: 32 digits, or a UUID. */
const ID = /\b([0-9a-f]{20}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3})([0-9a-f]{12})\b/g;

/** Copies all items of orders with other ids. The same id gets the same other one in both tables, so copies belong together. */
function multiply({ dynamodb }: Cloud, TableName: string, times: number): void {
  const found = dynamodb.items(TableName).map((item) => JSON.stringify(item));
  for (const text of found.filter((one) => one.search(ID) >= 0)) {
    const isKeyed = JSON.stringify((JSON.parse(text) as Item).pk).search(ID) >= 0;
    if (!isKeyed) continue;
    for (let copy = 1; copy < times; copy++) {
      const other = text.replaceAll(ID, (_, head: string, tail: string) => {
        const number = (BigInt(`0x${tail}`) + BigInt(copy)) & 0xffff_ffff_ffffn;
        return head + number.toString(16).padStart(12, '0');
      });
      const item = JSON.parse(other) as Item;
      // They were published once: the relay leaves them out.
      dynamodb.call('PutItem', { TableName, Item: isCommit(item) ? { ...item, published: { BOOL: false } } : item });
    }
  }
}

const textOf = (value: unknown): string => (value as { readonly S?: string } | undefined)?.S ?? '';
const isCommit = ({ sk }: Item): boolean => textOf(sk).startsWith('COMMIT#');

/** Deletes some commits and changes some states, as somebody with the rights of an administrator may. */
function damage({ dynamodb }: Cloud, TableName: string): void {
  const items = dynamodb.items(TableName).filter(({ pk }) => textOf(pk).startsWith('Order#'));
  const every = (list: readonly Item[]) => list.filter((_, n) => n % DAMAGED_ONE_OF === 0);
  for (const { pk, sk } of every(items.filter(isCommit)))
    dynamodb.call('DeleteItem', { TableName, Key: { pk, sk } as never });
  for (const item of every(items.filter((one) => !isCommit(one))))
    dynamodb.call('PutItem', { TableName, Item: { ...item, damagedByHand: { BOOL: true } } });
}

/** Items by table and key, without what a restore keeps: what operators did, and whether the relay is to publish. */
function snapshot({ dynamodb }: Cloud, tables: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    tables.flatMap((name) =>
      dynamodb
        .items(name)
        .filter(({ pk }) => !/^(AUDIT#|RESTORE$)/.test(textOf(pk)))
        .map(({ published: _, ...item }) => [
          `${name} ${textOf(item.pk)} ${textOf(item.sk)}`,
          JSON.stringify(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1))),
        ]),
    ),
  );
}

/** Counts what one snapshot has, and another one doesn't have or has differently. */
const differences = (of: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): number =>
  [...of].filter(([key, item]) => other.get(key) !== item).length;

function failed(why: string): never {
  throw new Error(why);
}

/** Runs `npm run drill:restore -- --orders 1000`. It exits with 1 if an item differs, or if orders don't work afterwards. */
export async function main(args: readonly string[]): Promise<number> {
  const { orders = String(DEFAULT_ORDERS) } = parseArgs({
    args: [...args],
    options: { orders: { type: 'string' } },
  }).values;
  if (!/^[1-9]\d{1,5}$/.test(orders))
    throw new LocalRunError(`--orders ${orders}: expected a number from 10 to 999999`);
  const { wrong, works } = await playRestoreDrill(Number(orders), console.log);
  return wrong === 0 && works ? 0 : 1;
}
