import { type CountedCase, rounded, timesEach } from './counts.js';
import { Shop } from './shop.js';
import { findTriggers, type Trigger } from './triggers.js';

/** The cases, with what is counted of each: its orders, requests or messages. */
export const CASES = {
  approved: 'an approved order of a returning customer',
  first: 'an approved order, the first of its customer',
  rejectedByPrice: 'an order that is rejected, since a price has changed',
  rejectedByStock: 'an order that is rejected, since a line is sold out',
  cancelled: 'an approved order that its customer cancels',
  duplicateRequest: 'a repeat of a POST /orders',
  duplicateMessages: 'everything that one order put on the bus, once more',
} as const;
export type CaseName = keyof typeof CASES;

/** Counts of Orderly. */
export interface Counted extends Functions {
  readonly cases: Readonly<Record<CaseName, CountedCase>>;
  /** Read units of `place-order` by the number of a customer's order in an hour: their history must not make them dearer. */
  readonly placing: Readonly<Record<string, number>>;
}

/** Functions that ran, as their bill needs them. */
export interface Functions {
  /** Trigger of each function. */
  readonly triggers: Readonly<Record<string, Trigger>>;
  /** Memory of each function, in MB. */
  readonly memory: Readonly<Record<string, number>>;
}

/** The customer whose orders are not the first ones. */
const RETURNING = 'rita';
/** The customer who orders all the time, and numbers of their orders in one hour. */
const OFTEN = 'olga';
const NUMBERS = [1, 10, 100, 300];
/** Orders of a case. Twenty commits of an account, which are seven orders, are between two snapshots. */
const MANY = 10;
const FEW = 2;
const FIRST = Array.from({ length: FEW }, (_, number) => `fred-${number + 1}`);

/** Plays all cases in one simulated cloud, one order after the other. The same sources give the same counts. */
export async function countCases(): Promise<Counted> {
  const shop = await Shop.open('what an order costs', [RETURNING, OFTEN, ...FIRST]);
  await shop.creditLimit(RETURNING);
  for (let number = 0; number < 2; number++) await shop.order(RETURNING);
  const cases: Partial<Record<CaseName, CountedCase>> = {};
  const count = async (name: CaseName, played: number, one: (number: number) => Promise<unknown>) => {
    const { functions, events } = await shop.count(async () => {
      for (let number = 0; number < played; number++) await one(number);
    });
    const mean = Object.entries(events).map(([type, entries]) => [type, rounded(entries / played)]);
    cases[name] = { played, functions: timesEach(functions, 1 / played), events: Object.fromEntries(mean) };
  };
  const orders = async (name: CaseName, played: number, status: string, one: (number: number) => Promise<string>) => {
    const orderIds: string[] = [];
    await count(name, played, async (number) => orderIds.push(await one(number)));
    await shop.expect(orderIds, status);
  };
  await orders('approved', MANY, 'APPROVED', () => shop.order(RETURNING));
  await orders('first', FEW, 'APPROVED', (number) => shop.order(FIRST[number] ?? ''));
  await orders('rejectedByPrice', FEW, 'REJECTED', () => shop.order(RETURNING, { amount: 300 }));
  await orders('rejectedByStock', FEW, 'REJECTED', () => shop.order(RETURNING, { skus: ['tea', 'bowls'] }));
  await orders('cancelled', FEW, 'CANCELLED', async () => {
    const orderId = await shop.order(RETURNING);
    await shop.cancel(RETURNING, orderId);
    return orderId;
  });
  const key = shop.newKey();
  await shop.remember(() => shop.order(RETURNING, { key }));
  await count('duplicateRequest', FEW, () => shop.order(RETURNING, { key }));
  await count('duplicateMessages', 1, () => shop.sendAgain());
  const placing: Record<string, number> = {};
  for (const number of NUMBERS) {
    await shop.fillList(OFTEN, number - 1);
    placing[number] = await shop.readsOf('Orders/PlaceOrder', () => shop.order(OFTEN));
  }
  return { placing, cases: cases as Counted['cases'], ...describeFunctions(shop, cases) };
}

/** Returns trigger and memory of each function that ran in some cases. */
export function describeFunctions({ cloud }: Shop, cases: Readonly<Record<string, CountedCase>>) {
  const ran = [...new Set(Object.values(cases).flatMap(({ functions }) => Object.keys(functions)))].toSorted();
  const triggers = findTriggers(cloud);
  const functions = ran.filter((label) => triggers.has(label));
  return {
    triggers: Object.fromEntries(functions.map((label) => [label, triggers.get(label) as Trigger])),
    memory: Object.fromEntries(
      functions.map((label) => [label, Number(cloud.fn(label).resource.properties.MemorySize ?? 128)]),
    ),
  };
}
