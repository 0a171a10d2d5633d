import { OFFERED_TYPES } from '../../lambdas/webhooks/payloads.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { loadSharedDeployment } from '../../test/support/simulation/app-code.js';
import { stripeAssembly } from '../../test/support/simulation/assembly.js';
import { type Answered, type Call, Orderly } from '../../test/support/simulation/orderly.js';
import { Stripe } from '../../test/support/simulation/stripe.js';
import { dueRecords } from '../local/awaits.js';
import { type CountsByFunction, subtractEach } from './counts.js';
import { Meter, type Metered } from './meter.js';

export const MINUTE = 60_000;
/** Time in which a case is counted. */
const HOUR = 60 * MINUTE;
/** The audit runs so long before an hour's end, and judges commits that are older than 15 minutes: all of that hour. */
const AUDITED_BEFORE_END = 8 * MINUTE;
const REST = 25 * MINUTE;
/** Time for one order with everything that it sets off, so that each of its messages is alone in its batch. */
const ONE = 2 * MINUTE;

const price = (amount: number) => ({ amount, currency: 'EUR' });
const PRICE = 350;

/**
 * A shop on `prod` with its real payment code, in the simulator, whose use is counted. The functions run the deployed code, and
 * Stripe is a model, so nothing of the sandbox is counted.
 */
export class Shop {
  readonly cloud: Cloud;
  readonly meter: Meter;
  private readonly orderly: Orderly;
  private keys = 0;

  private constructor(seed: string, customers: readonly string[], folder: string) {
    this.cloud = new Cloud(loadSharedDeployment(folder), { seed, steady: true });
    Stripe.at(this.cloud, customers);
    this.orderly = new Orderly(this.cloud, ['rewards', 'reports']);
    const due = dueRecords(this.cloud);
    // Ticks that find nothing are part of an idle month.
    this.cloud.events.schedules.nextWorkAt = (rule) => (rule.startsWith('Audit/') ? this.nextAudit() : due(rule));
    this.meter = new Meter(this.cloud);
  }

  /** Returns now, once an audit is wanted: each hour has one run, which judges all of it. */
  private nextAudit(): number | undefined {
    const { now } = this.cloud.world;
    if (this.auditAt === undefined || now < this.auditAt) return this.auditAt;
    this.auditAt = undefined;
    return now;
  }
  private auditAt: number | undefined;

  /**
   * Opens a shop that sells `tea` and `cups`, and no `bowls`, which are sold out.
   * @param customers who have a way to pay
   * @param folder of its cloud assembly. @default the one with the payment code of `prod`
   */
  static async open(seed: string, customers: readonly string[], folder = stripeAssembly()): Promise<Shop> {
    const shop = new Shop(seed, customers, folder);
    for (const [sku, onHand] of Object.entries({ tea: 100_000, cups: 100_000, bowls: 0 })) {
      const body = { name: sku, unitPrice: price(PRICE) };
      await shop.call({ method: 'PUT', path: `/products/${sku}`, as: 'operator', body });
      await shop.call({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body: { onHand } });
    }
    await shop.pass(REST);
    return shop;
  }

  /** Places an order of two lines, and lets everything happen that it sets off. @returns its id */
  async order(as: string, { skus = ['tea', 'cups'], amount = PRICE, key = this.newKey() }: Ordering = {}) {
    const lines = skus.map((sku) => ({ sku, quantity: 1, unitPrice: price(amount) }));
    const { reply } = await this.call({ method: 'POST', path: '/orders', as, key, body: { lines } });
    await this.pass(ONE);
    return String(reply.body.orderId);
  }

  /** Lets a customer order for as much as they like, as an operator. */
  async creditLimit(customer: string): Promise<void> {
    const body = { creditLimit: price(1_000_000_000) };
    await this.call({ method: 'PUT', path: `/accounts/${customer}/credit-limit`, as: 'operator', body });
    await this.pass(REST);
  }

  /** Registers a webhook of a shop for all events of its orders. Its receiver takes each at once. */
  async registerWebhook(as: string, inOrder: boolean): Promise<void> {
    const host = `${as}.example.com`;
    this.cloud.thirdParties.addStub(host, (_, then) => then({ status: 200, headers: {}, body: '' }));
    const body = { url: `https://${host}/`, events: OFFERED_TYPES, inOrder };
    await this.call({ method: 'POST', path: '/webhooks', as, role: 'shop', key: this.newKey(), body });
    await this.pass(REST);
  }

  async cancel(as: string, orderId: string): Promise<void> {
    const path = `/orders/${orderId}/cancellation`;
    await this.call({ method: 'POST', path, as, key: this.newKey(), body: {} });
    await this.pass(ONE);
  }

  /** @throws {Error} if an order has another status: then the case would count something else */
  async expect(orderIds: readonly string[], status: string): Promise<void> {
    for (const orderId of orderIds) {
      const { reply } = await this.call({ method: 'GET', path: `/orders/${orderId}`, as: 'operator' });
      if (reply.body.status !== status)
        throw new Error(`order ${orderId} is ${String(reply.body.status)}: expected ${status}`);
    }
  }

  /** Remembers what functions publish because of some work, and lets an hour pass. `sendAgain` publishes it once more. */
  async remember(work: () => Promise<unknown>): Promise<void> {
    const { events } = this.cloud;
    const since = events.accepted.length;
    const end = this.beginHour();
    await work();
    await this.pass(end - this.cloud.world.now);
    for (const { bus, event, by } of events.accepted.slice(since)) {
      if (by === undefined) continue;
      this.again.push(() => {
        events.put(bus, { source: event.source, detailType: event['detail-type'], detail: event.detail });
      });
    }
  }
  private readonly again: (() => void)[] = [];

  /** Publishes once more what `remember` has remembered, each message alone. */
  async sendAgain(): Promise<void> {
    for (const send of this.again.splice(0)) {
      send();
      await this.pass(MINUTE / 3);
    }
  }

  /**
   * Counts what some work uses within an hour, without what an idle hour uses.
   * @throws {Error} if the work takes so long that the delivery audit may not have judged it within the hour
   */
  async count(work: () => Promise<unknown>): Promise<Metered> {
    const { world } = this.cloud;
    const idle = await this.countIdle();
    const end = this.beginHour();
    await work();
    if (world.now > end - REST) throw new Error('a case takes more than 35 minutes: its orders must be fewer');
    await this.pass(end - world.now);
    const { functions, events } = this.meter.end();
    return { functions: subtractEach(functions, idle), events };
  }

  /** Counts once what an idle cloud uses: the delivery audit looks for commits. */
  private async countIdle(): Promise<CountsByFunction> {
    if (this.idle) return this.idle;
    // One hour, so that the audit has judged what was before.
    for (const _ of ['before', 'idle']) {
      const end = this.beginHour();
      await this.pass(end - this.cloud.world.now);
    }
    this.idle = this.meter.end().functions;
    return this.idle;
  }
  private idle: CountsByFunction | undefined;

  /** Begins to count an hour, in whose last minutes the delivery audit runs. @returns its end, milliseconds since 1970 */
  private beginHour(): number {
    const { world, events } = this.cloud;
    const end = world.now + HOUR;
    this.auditAt = end - AUDITED_BEFORE_END;
    events.schedules.replan();
    this.meter.begin();
    return end;
  }

  /** Returns the read units of one function during some work. */
  async readsOf(fn: string, work: () => Promise<unknown>): Promise<number> {
    const { tableCalls } = this.cloud;
    const since = tableCalls.length;
    await work();
    const consumed = tableCalls.slice(since).flatMap((call) => (call.fn === fn ? call.effects.consumed : []));
    return consumed.reduce((sum, { read }) => sum + read, 0);
  }

  /**
   * Fills a customer's list up to a number of orders, all of this hour: with rows like that of their newest order, since playing as many
   * orders would take minutes.
   * @throws {Error} if so many are wanted of a customer without an order
   */
  async fillList(customer: string, count: number): Promise<void> {
    const tables = this.orderly.services.map(({ table }) => table);
    const listed = (table: string) =>
      this.cloud
        .listItems(table)
        .filter(({ pk, sk }) => pk === `CUSTOMER#${customer}` && String(sk).startsWith('ORDER#'));
    const table = tables.find((one) => listed(one).length > 0);
    if (count === 0) return;
    if (table === undefined) throw new Error(`${customer} has no order whose row could be copied`);
    // The hour begins, so that all of them are in it.
    const { world } = this.cloud;
    await this.pass(HOUR - (world.now % HOUR) + 10 * MINUTE);
    const [row] = listed(table);
    for (let number = 0; number < count; number++) {
      const placedAt = new Date(world.now - number * 1_000).toISOString();
      const orderId = `${count.toString(16)}a${number.toString(16)}`.padStart(32, '0');
      const order = JSON.stringify({ ...JSON.parse(String(row?.order)), orderId, placedAt });
      const Item = {
        pk: { S: `CUSTOMER#${customer}` },
        sk: { S: `ORDER#${placedAt}#${orderId}` },
        order: { S: order },
      };
      this.cloud.dynamodb.call('PutItem', {
        TableName: table,
        Item: { ...Item, version: { N: String(row?.version) } },
      });
    }
  }

  newKey(): string {
    return `key-${++this.keys}`;
  }

  pass(milliseconds: number): Promise<void> {
    return this.cloud.world.pass(milliseconds);
  }

  private async call(call: Call): Promise<Answered> {
    const answered = await this.orderly.call(call);
    const { status, body } = answered.reply;
    if (status >= 300)
      throw new Error(`${call.method} ${call.path} was answered by ${status}: ${JSON.stringify(body)}`);
    return answered;
  }
}

interface Ordering {
  readonly skus?: readonly string[];
  /** Price that the customer agrees to. */
  readonly amount?: number;
  readonly key?: string;
}
