import { prodAssembly, webhooksAssembly } from '../../test/support/simulation/assembly.js';
import { totalOf } from './bill.js';
import { billOfCase } from './case-bills.js';
import { describeFunctions, type Functions } from './cases.js';
import { type CountedCase, type Counts, subtractEach, timesEach, total } from './counts.js';
import { Shop } from './shop.js';

/** An approved order, by what receives its events. With the sandbox, since only differences are of interest. */
export const WEBHOOK_CASES = {
  off: 'an approved order, without the setting',
  none: 'an approved order of a customer who has no webhook',
  delivered: 'an approved order with one webhook: two deliveries',
  inOrder: 'an approved order with one webhook in order: two deliveries',
} as const;
export type WebhookCase = keyof typeof WEBHOOK_CASES;

/** Counts of orders with and without webhooks. */
export interface CountedWebhooks extends Functions {
  readonly cases: Readonly<Record<WebhookCase, CountedCase>>;
}

const PLAYED = 1;
/** Events of an approved order that are delivered: that it was placed, and that it was approved. */
const DELIVERIES = 2;

/** Customers of the cases. Their names are of one length, so that no line of a log differs by them. */
const CUSTOMERS = { off: 'zero', none: 'none', delivered: 'with', inOrder: 'line' } as const;

/** Plays the cases: the first one in a cloud without webhooks, the others in one with them. Each counts its customer's second order. */
export async function countWebhooks(): Promise<CountedWebhooks> {
  const off = await count(await open(prodAssembly(), ['off']), CUSTOMERS.off);
  const shop = await open(webhooksAssembly(), ['none', 'delivered', 'inOrder']);
  await shop.registerWebhook(CUSTOMERS.delivered, false);
  await shop.registerWebhook(CUSTOMERS.inOrder, true);
  const none = await count(shop, CUSTOMERS.none);
  const delivered = await count(shop, CUSTOMERS.delivered);
  const inOrder = await count(shop, CUSTOMERS.inOrder);
  const cases = { off, none, delivered, inOrder };
  return { cases, ...describeFunctions(shop, cases) };
}

async function open(folder: string, cases: readonly WebhookCase[]): Promise<Shop> {
  const customers = cases.map((name) => CUSTOMERS[name]);
  const shop = await Shop.open('what a webhook costs', customers, folder);
  for (const customer of customers) await shop.order(customer);
  return shop;
}

/** Beginning of the names of the functions and rules of webhooks. */
export const STACK = 'Webhooks/';

async function count(shop: Shop, customer: string): Promise<CountedCase> {
  const orderIds: string[] = [];
  const { functions, events } = await shop.count(async () => {
    for (let number = 0; number < PLAYED; number++) orderIds.push(await shop.order(customer));
  });
  await shop.expect(orderIds, 'APPROVED');
  const mean = Object.entries(events).map(([type, entries]) => [type, entries / PLAYED]);
  return { played: PLAYED, functions: timesEach(functions, 1 / PLAYED), events: Object.fromEntries(mean) };
}

/** The function that checks that what was published was processed. */
export const AUDITOR = 'Audit/Auditor';

/** What webhooks add to an order. */
export interface Added {
  readonly what: string;
  readonly counts: Counts;
  /** Dollars per million, and in full batches of ten. */
  readonly dollars: number;
  readonly inBatches: number;
}

/** Returns what webhooks and the audit of their events add: without the setting, to an order whose events no webhook receives, and for each delivery. */
export function addedByWebhooks({ cases, ...functions }: CountedWebhooks): readonly Added[] {
  const between = (what: string, more: CountedCase, less: CountedCase, each: number): Added => {
    const all = subtractEach(more.functions, less.functions);
    const own = Object.entries(all).filter(([fn]) => fn.startsWith(STACK) || fn === AUDITOR);
    const differs = timesEach(Object.fromEntries(own), 1 / each);
    const bill = (isBatch: boolean) => totalOf(billOfCase(functions, { ...more, functions: differs }, isBatch));
    return { what, counts: total(differs), dollars: bill(false), inBatches: bill(true) };
  };
  return [
    between('without the setting: an order', cases.off, cases.off, 1),
    between('with it: an order of a customer who has no webhook', cases.none, cases.off, 1),
    between('each delivery to a receiver that takes it', cases.delivered, cases.none, DELIVERIES),
    between('each delivery in order', cases.inOrder, cases.none, DELIVERIES),
  ];
}
