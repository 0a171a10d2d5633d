import { RUN_SECONDS } from '../../../lambdas/synthetic-orders/environment.js';
import { SyntheticOrdersMetric } from '../../../lambdas/synthetic-orders/metrics.js';
import { Cloud, type Deployment } from '../../../packages/simulator/cloud/cloud.js';
import type { CloudOptions } from '../../../packages/simulator/cloud/cloud-options.js';
import type { HttpRequest, HttpResponse } from '../../../packages/simulator/runtime/http.js';
import { MINUTE, productOf } from '../../simulation/scenarios/shop.js';
import { SYNTHETIC_ORDER } from './assembly.js';
import { token } from './issuer.js';
import { Orderly, type Row } from './orderly.js';

const SECRET = 's3cret & more';
const STOCK = 1_000;
/** Beginning of the names of its function, its rule and its log. */
export const SYNTHETIC_ORDERS = 'Api/Api/SyntheticOrders';

/** A cloud with synthetic orders: an issuer, and the API by its public address. */
export class SyntheticOrders {
  readonly cloud: Cloud;
  readonly orderly: Orderly;
  /** Number of tokens that the issuer has given. */
  tokens = 0;
  /** Whether nobody can reach the API by its name. */
  isApiDown = false;
  private until = 0;

  constructor(deployment: Deployment, options: CloudOptions) {
    this.cloud = new Cloud(deployment, options);
    const { world, thirdParties, parameters, events } = this.cloud;
    this.orderly = new Orderly(this.cloud, ['rewards', 'reports']);
    parameters.operations.PutParameter?.({
      Name: SYNTHETIC_ORDER.secretParameter,
      Type: 'SecureString',
      Value: SECRET,
    });
    thirdParties.add(new URL(SYNTHETIC_ORDER.tokenUrl).host, {
      answer: (request) => this.issue(request),
      refuse: () => answered(429, {}),
    });
    const { host, pathname } = new URL(String(this.orderly.stacks.Api?.ApiUrl));
    thirdParties.addStub(host, (request, then) => {
      if (this.isApiDown) return then(undefined);
      const path = request.path.slice(pathname.length - 1);
      this.cloud.apis[0]?.request({ ...request, path }, ({ status, headers, body }) => then({ status, headers, body }));
    });
    const { schedules } = events;
    const others = schedules.nextWorkAt;
    schedules.nextWorkAt = (rule) =>
      rule.startsWith(SYNTHETIC_ORDERS) ? (world.now < this.until ? world.now : undefined) : others?.(rule);
  }

  /** Creates the product. @param amount price: any but 0 is wrong */
  async stock(amount = 0): Promise<void> {
    const { sku } = SYNTHETIC_ORDER;
    await this.orderly.call(productOf(sku, amount));
    await this.orderly.call({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body: { onHand: STOCK } });
  }

  /** Lets a number of runs begin, and waits for their ends and for whatever follows from them. */
  async run(runs: number): Promise<void> {
    const { world, events } = this.cloud;
    this.until = world.now + runs * 5 * MINUTE;
    events.schedules.replan();
    await world.pass(runs * 5 * MINUTE + RUN_SECONDS * 1_000);
    await this.orderly.rest();
  }

  /** Runs that have ended, by their outcomes as the metrics count them. */
  get counted(): { readonly succeeded: number; readonly failed: number; readonly seconds: readonly number[] } {
    const metrics = this.lines.filter((line) => '_aws' in line);
    const of = (name: string): number[] =>
      metrics.flatMap((line) => (name in line ? [line[name]].flat().map(Number) : []));
    return {
      succeeded: of(SyntheticOrdersMetric.SUCCEEDED).length,
      failed: of(SyntheticOrdersMetric.FAILED).length,
      seconds: of(SyntheticOrdersMetric.DECISION_SECONDS),
    };
  }

  /** Lines of the function's log. */
  get lines(): readonly Row[] {
    return this.cloud.log
      .filter(({ fn, text }) => fn.startsWith(SYNTHETIC_ORDERS) && text.startsWith('{'))
      .map(({ text }) => JSON.parse(text) as Row);
  }

  /** Items of a service's table that name the synthetic customer, or the other one. */
  itemsNaming(service: string, text: string): readonly Row[] {
    const table = this.orderly.services.find(({ name }) => name === service)?.table ?? '';
    return this.orderly.itemsOf(table).filter((item) => JSON.stringify(item).includes(text));
  }

  /** Orders of the synthetic customer by their ids, with their statuses, as the customer sees them. */
  async orders(): Promise<ReadonlyMap<string, string>> {
    const list = await this.orderly.call({ method: 'GET', path: '/orders?limit=100', as: SYNTHETIC_ORDER.customerId });
    const orders = list.reply.body.items as readonly { readonly orderId: string; readonly status: string }[];
    return new Map(orders.map(({ orderId, status }) => [orderId, status]));
  }

  /** Pieces that are neither reserved nor sold. */
  async available(): Promise<unknown> {
    const stock = await this.orderly.call({ method: 'GET', path: `/stock/${SYNTHETIC_ORDER.sku}`, as: 'operator' });
    return stock.reply.body.available;
  }

  private issue({ body }: HttpRequest): HttpResponse {
    const form = new URLSearchParams(body);
    const isKnown = form.get('client_id') === SYNTHETIC_ORDER.clientId && form.get('client_secret') === SECRET;
    if (!isKnown || form.get('grant_type') !== 'client_credentials') return answered(401, { error: 'invalid_client' });
    this.tokens++;
    const { now } = this.cloud.world;
    const access_token = token(SYNTHETIC_ORDER.customerId, 'customer', now);
    return answered(200, { access_token, token_type: 'Bearer', expires_in: 3600 });
  }
}

const answered = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
