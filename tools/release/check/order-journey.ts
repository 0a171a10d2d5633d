import { SANDBOX_TALLIES } from '../../../lambdas/payments/keys.js';
import { type JsonCall, jsonClient, type Reply } from '../../../packages/simulator/client/client.js';
import type { SimulatedIssuer } from '../../../packages/simulator/client/issuer.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Journey, WorkTrouble } from '../../../packages/simulator/releases/under-way.js';

const PRICE = 350;
const OPERATOR = 'operator';

/** How an order ends, by what its customer and the stock do. */
type End = 'APPROVED' | 'CANCELLED' | 'REJECTED';
/** Of five orders in a row one is cancelled while its saga runs, or right after it, and one finds no stock. */
const ENDS: readonly End[] = ['APPROVED', 'CANCELLED', 'APPROVED', 'REJECTED', 'APPROVED'];

interface Placed {
  readonly number: number;
  readonly orderId: string;
}

/**
 * Orders, each with a customer and a product of its own: so what accounts, stock and payments say of these is what this one order did.
 * The API is asked as clients ask it, and the sandbox what it really charged.
 */
export class OrderJourney implements Journey {
  private readonly placed = new Map<number, Placed>();

  /** @param issuer whose tokens the deployed API takes */
  constructor(private readonly issuer: SimulatedIssuer) {}

  async prepare(): Promise<void> {
    // Each order brings its own product.
  }

  async begin(cloud: Cloud, number: number): Promise<string> {
    const [sku, customer] = [skuOf(number), customerOf(number)];
    if (!this.placed.has(number)) {
      const product = { name: sku, unitPrice: { amount: PRICE, currency: 'EUR' } };
      await this.ask(cloud, OPERATOR, { method: 'PUT', path: `/products/${sku}`, body: product });
      const onHand = endOf(number) === 'REJECTED' ? 0 : 5;
      await this.ask(cloud, OPERATOR, { method: 'PUT', path: `/stock/${sku}`, body: { onHand } });
    }
    const lines = [{ sku, quantity: 1, unitPrice: { amount: PRICE, currency: 'EUR' } }];
    const { body } = await this.ask(cloud, customer, {
      method: 'POST',
      path: '/orders',
      headers: { 'Idempotency-Key': `place-${number}` },
      body: { lines },
    });
    const orderId = String(body.orderId);
    if (endOf(number) === 'CANCELLED')
      await this.ask(cloud, customer, {
        method: 'POST',
        path: `/orders/${orderId}/cancellation`,
        headers: { 'Idempotency-Key': `cancel-${number}` },
        body: {},
      });
    if (!this.placed.has(number)) this.placed.set(number, { number, orderId });
    return orderId;
  }

  async check(cloud: Cloud, works: readonly string[]): Promise<readonly WorkTrouble[]> {
    const troubles = failuresIn(cloud, [...this.placed.values()]);
    const tallies = talliesIn(cloud);
    for (const placed of this.placed.values()) {
      if (!works.includes(placed.orderId)) continue;
      const found = await this.look(cloud, placed, tallies.get(placed.orderId) ?? 0);
      if (found) troubles.push(found);
    }
    return troubles;
  }

  /** @param kept amount that the provider has charged and not refunded */
  private async look(cloud: Cloud, { number, orderId: work }: Placed, kept: number): Promise<WorkTrouble | undefined> {
    const [sku, customer, end] = [skuOf(number), customerOf(number), endOf(number)];
    const read = async (path: string, as = OPERATOR) => (await this.call(cloud, as, { method: 'GET', path })).reply;
    const order = await read(`/orders/${work}`, customer);
    if (order.status === 404) return { kind: 'lost', work, detail: `GET /orders/${work} answers 404` };
    const status = String(order.body.status ?? `unknown (${order.status})`);
    if (status === 'PENDING' || order.status >= 400)
      return { kind: 'stuck', work, detail: `it is ${status}, and nothing is on its way; expected ${end}` };
    if (status !== end) return { kind: 'lost', work, detail: `it is ${status}, ${order.body.reason}; expected ${end}` };
    const taken = end === 'APPROVED' ? 1 : 0;
    const { body: stock } = await read(`/stock/${sku}`);
    const { body: account } = await read(`/accounts/${customer}`);
    const amount = (name: string): number => (account[name] as { readonly amount: number } | undefined)?.amount ?? 0;
    const counts: readonly (readonly [string, number, number])[] = [
      ['pieces reserved', Number(stock.reserved), taken],
      ['on the account', amount('authorized') + amount('captured') - amount('refunded'), taken * PRICE],
      ['charged by the provider and not refunded', kept, taken * PRICE],
    ];
    const wrong = counts.find(([, is, wanted]) => is !== wanted);
    if (!wrong) return undefined;
    const [what, is, wanted] = wrong;
    return {
      kind: is > wanted ? 'twice' : 'lost',
      work,
      detail: `it is ${end}, and ${is} ${what}; expected ${wanted}`,
    };
  }

  private call(cloud: Cloud, sub: string, call: JsonCall) {
    const claims = { sub, orderly_role: sub === OPERATOR ? 'operator' : 'customer' };
    return jsonClient(cloud, claims, this.issuer).call(call);
  }

  /** @throws {Error} for an answer above 299 */
  private async ask(cloud: Cloud, sub: string, call: JsonCall): Promise<Reply> {
    const { reply } = await this.call(cloud, sub, call);
    if (reply.status >= 300)
      throw new Error(`${call.method} ${call.path} answers ${reply.status}: ${reply.body.detail}`);
    return reply;
  }
}

const endOf = (number: number): End => ENDS[number % ENDS.length] as End;
const skuOf = (number: number): string => `TEA-${number}`;
const customerOf = (number: number): string => `customer-${number}`;

/** Returns what the sandbox has really charged and not refunded, by the payments. */
const talliesIn = (cloud: Cloud): ReadonlyMap<string, number> =>
  new Map(
    cloud.dynamodb
      .tables()
      .flatMap((table) => cloud.listItems(table))
      .filter(({ pk }) => String(pk).startsWith(SANDBOX_TALLIES))
      .map(({ pk, chargeSum, refundSum }) => [
        String(pk).slice(SANDBOX_TALLIES.length),
        Number(chargeSum ?? 0) - Number(refundSum ?? 0),
      ]),
  );

/** Messages that no consumer could process wait for an operator as failure records. */
function failuresIn(cloud: Cloud, placed: readonly Placed[]): WorkTrouble[] {
  return cloud.dynamodb.tables().flatMap((table) =>
    cloud
      .listItems(table)
      .filter(({ status, failedConsumer }) => status === 'FAILED' && failedConsumer !== undefined)
      .map((record): WorkTrouble => {
        const text = JSON.stringify(record);
        const work = placed.find(({ orderId }) => text.includes(orderId))?.orderId ?? String(record.pk);
        const detail = `${String(record.failedConsumer)} could not process ${String(record.type)} ${String(record.pk)}`;
        return { kind: 'stuck', work, detail };
      }),
  );
}
