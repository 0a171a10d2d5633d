import { Cloud, type Deployment } from '../../../packages/simulator/cloud/cloud.js';
import type { ApiResponse } from '../../../packages/simulator/services/apigateway/messages.js';
import type { Route } from '../../../packages/simulator/services/apigateway/routes.js';
import { token } from '../../support/simulation/issuer.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { faultsOfAnswer } from './answer-oracles.js';
import type { FuzzRequest } from './request.js';
import { SKU } from './samples.js';
import { faultsOfItem, faultsOfLog } from './trace-oracles.js';

/** Returns the routes of a deployment that a function handles for a known caller. */
export const routesOf = (cloud: Cloud): readonly Route[] =>
  cloud.apis.flatMap((api) => api.routes).filter(({ authorizer }) => authorizer !== undefined);

/** Cloud that contains an order and a payment of alice. It gets one request after the other. */
export class Target {
  /** Number of requests so far. */
  readonly asked: FuzzRequest[] = [];
  private readonly tables: readonly string[];
  private readonly seen = new WeakSet<object>();
  private logged = 0;

  private constructor(
    private readonly cloud: Cloud,
    private readonly names: Readonly<Record<string, string>>,
  ) {
    this.tables = [...cloud.dynamodb.snapshot().keys()];
    // Log lines and writes of the preparation are not checked.
    this.logged = cloud.log.length;
  }

  static async prepared(deployment: Deployment): Promise<Target> {
    const cloud = new Cloud(deployment, { seed: 'fuzz', keepTrace: false, recycle: true });
    const orderly = new Orderly(cloud, ['rewards', 'reports']);
    const price = { amount: 350, currency: 'EUR' };
    const limit = { creditLimit: { amount: 1e12, currency: 'EUR' } };
    const put = (path: string, body: object) => orderly.call({ method: 'PUT', path, as: 'operator', body });
    const post = async (path: string, body?: object) => {
      const { reply } = await orderly.call({
        method: 'POST',
        path,
        as: 'alice',
        key: 'prepared',
        ...(body && { body }),
      });
      if (reply.status !== 201) throw new Error(`POST ${path} of the preparation: ${JSON.stringify(reply)}`);
      return reply.body;
    };
    await put(`/products/${SKU}`, { name: 'Tea', unitPrice: price });
    await put(`/stock/${SKU}`, { onHand: 1_000_000 });
    for (const customer of ['alice', 'bob']) await put(`/accounts/${customer}/credit-limit`, limit);
    const { orderId } = await post('/orders', { lines: [{ sku: SKU, quantity: 1, unitPrice: price }] });
    const { paymentId } = await post('/payments', { accountId: 'alice', amount: { amount: 100_000, currency: 'EUR' } });
    const [session, payments] = [await post('/sessions'), await post('/payments/sessions')];
    await orderly.rest();
    return new Target(cloud, {
      '<order>': String(orderId),
      '<payment>': String(paymentId),
      '<session>': String(session.sessionId),
      '<payment-session>': String(payments.sessionId),
    });
  }

  /** Sends a request, waits until all its effects are complete, and checks the answer, the logs and the tables. */
  async ask(request: FuzzRequest): Promise<{ readonly status: number; readonly faults: readonly string[] }> {
    const { cloud, tables } = this;
    this.asked.push(request);
    const bearer = typeof request.as === 'string' && request.as !== 'none' ? this.tokenOf(request.as) : undefined;
    let answer: ApiResponse | undefined;
    cloud.apis[0]?.request(
      {
        method: request.method,
        path: this.named(request.path),
        headers: {
          ...Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, this.values(value)])),
          ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
          ...(typeof request.as === 'object' && { Authorization: request.as.authorization }),
        },
        // Sent as UTF-8 bytes: a lone surrogate can only be sent as an escape.
        ...(request.body !== undefined && { body: Buffer.from(request.body).toString() }),
      },
      (response) => {
        answer = response;
      },
    );
    await cloud.world.until(() => answer !== undefined);
    if (!answer) return { status: 0, faults: ['no answer'] };
    await cloud.world.settle();
    const lines = cloud.log.slice(this.logged);
    this.logged = cloud.log.length;
    const left = [...cloud.queues.values()].filter((queue) => queue.listMessages().length > 0);
    const faults = [
      ...faultsOfAnswer(request, answer, tables),
      ...faultsOfLog(lines, request, bearer),
      ...tables.flatMap((table) => this.newItems(table).flatMap((item) => faultsOfItem(table, item))),
      ...left.map((queue) => `messages are left in ${queue.label}`),
    ];
    return { status: answer.status, faults };
  }

  /** Ends the history. The next one reuses the environments of its functions. */
  end(): void {
    this.cloud.end();
  }

  private tokenOf(who: string): string {
    return token(who, who === 'operator' ? 'operator' : 'customer', this.cloud.world.now);
  }

  private named(text: string): string {
    return text.replace(/<[a-z-]+>/g, (name) => this.names[name] ?? name);
  }

  private values(value: string | readonly string[]): string | readonly string[] {
    return typeof value === 'string' ? this.named(value) : value.map((one) => this.named(one));
  }

  /** Returns the new and changed items. Stored items are frozen, so a changed item is another object. */
  private newItems(table: string) {
    const items = this.cloud.dynamodb.items(table).filter((item) => !this.seen.has(item));
    for (const item of items) this.seen.add(item);
    return items;
  }
}
