import { randomBytes } from 'node:crypto';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { clientConfig, type FunctionDescription, parseFunctions } from '@orderly/operator';
import { operatorCommandLine } from '@orderly/operator/definitions';
import { LocalCloudClient } from '@orderly/simulator/client';
import type { OrderView } from '../../../lambdas/orders/contract.js';
import { ORDERLY } from '../../operator/command-line.js';
import { type ApiAnswer, type ApiRequest, callApi, expectFromApi } from '../api.js';
import { ConsumerLogs } from '../consumer-logs.js';
import { type Deployment, readDeployment } from '../deploy.js';
import { makeToken } from '../dev-issuer.js';
import type { Endpoint } from '../endpoint.js';
import { LocalRunError } from '../errors.js';
import { FunctionLogs, parseFields } from '../function-logs.js';
import { type Progress, waitUntil } from '../progress.js';
import { euros, openShop } from '../shop.js';

/** The operator of every demo. Every other name is a customer's id. */
export const OPERATOR = 'operator';

/** Structured log line of a function. */
export type LogLine = Readonly<Record<string, unknown>>;

/** Chooses log lines: the values of some fields. */
type Wanted = LogLine & { readonly message?: string };

type Asked = Omit<ApiRequest, 'token'>;

/** A local cloud on which a demo plays: its shop, its people, its log lines, its operator, its trouble. */
export class Stage {
  /** End of all names in this play. A demo can be played any number of times on one cloud. */
  readonly run = randomBytes(3).toString('hex');
  readonly cloud: LocalCloudClient;
  private readonly logs: FunctionLogs;
  /** Messages that the consumers of all services have handled. */
  readonly consumers: ConsumerLogs;
  private readonly repairs: (() => Promise<unknown>)[] = [];
  private interrupted = false;

  private constructor(
    readonly endpoint: Endpoint & { readonly url: string },
    readonly deployment: Omit<Deployment, 'skipped'>,
    began: number,
    private ahead: number,
    private readonly say: Progress,
  ) {
    this.cloud = new LocalCloudClient(endpoint.url);
    this.logs = new FunctionLogs(endpoint, deployment.outputs, began);
    this.consumers = new ConsumerLogs(endpoint, deployment.outputs, began);
  }

  /**
   * Opens a stage on a running local cloud.
   * @throws {LocalRunError} if it is no local cloud, or somebody has asked it for faults
   */
  static async open(endpoint: Endpoint, say: Progress): Promise<Stage> {
    const { url, kind } = endpoint;
    if (url === undefined || kind !== 'local-cloud')
      throw new LocalRunError(`${url ?? 'AWS'} is no local cloud, and demos play on one.\nNext: npm start`);
    const { faults, now, ahead } = await new LocalCloudClient(url).status();
    const [fault] = faults;
    if (fault)
      throw new LocalRunError(
        `The local cloud is still to make a fault (${fault.kind} at ${fault.owner}), which would disturb a demo.\nNext: npm run orderly -- local calm`,
      );
    return new Stage({ ...endpoint, url }, await readDeployment(endpoint), Date.parse(now), ahead, say);
  }

  /** Tells what happens next, in a sentence. */
  tell(sentence: string): void {
    this.say(`\n${sentence}`);
  }

  /** Shows what was seen, below the sentence. */
  show(...lines: readonly string[]): void {
    for (const line of lines.flatMap((text) => text.split('\n'))) this.say(line === '' ? '' : `    ${line}`);
  }

  /** Names somebody or something of this play: `bob-3fac25`. */
  named(name: string): string {
    return `${name}-${this.run}`;
  }

  /** Sends a request to the API, whatever its answer is. @param who {@link OPERATOR}, or a customer's id */
  ask<Body>(who: string, route: string, asked: Asked = {}): Promise<ApiAnswer<Body>> {
    return callApi<Body>(this.deployment.apiUrl, route, { token: this.createToken(who), ...asked });
  }

  /** Sends a request to the API that must succeed. @throws {Error} for any other answer */
  do<Body>(who: string, route: string, asked: Asked = {}): Promise<Body> {
    return expectFromApi<Body>(this.deployment.apiUrl, route, { token: this.createToken(who), ...asked });
  }

  /** Puts an article on sale, and gives customers credit. @param price in cents @returns its SKU */
  async article(
    name: string,
    { price, onHand = 50, customers = [] }: { price: number; onHand?: number; customers?: readonly string[] },
  ): Promise<string> {
    const sku = this.named(name.toUpperCase());
    const shop = { apiUrl: this.deployment.apiUrl, token: this.createToken(OPERATOR) };
    await openShop(shop, [{ sku, name, price, onHand }], customers);
    return sku;
  }

  /** Places an order of one piece. @param price in cents @param more of the request */
  place(who: string, { sku, price, ...more }: { sku: string; price: number; deliverTo?: object }): Promise<OrderView> {
    const body = { lines: [{ sku, quantity: 1, unitPrice: euros(price) }], ...more };
    return this.do<OrderView>(who, 'POST /orders', { key: `demo-${randomBytes(4).toString('hex')}`, body });
  }

  /** Waits until an order has a status. @returns the order */
  becomes(orderId: string, status: OrderView['status']): Promise<OrderView> {
    return this.until(`order ${orderId} ${status}`, async () => {
      const order = await this.do<OrderView>(OPERATOR, `GET /orders/${orderId}`);
      return order.status === status ? order : undefined;
    });
  }

  /**
   * Waits until a look finds something.
   * @param what is missing until then
   * @throws {Error} if no consumer handles anything any more, and it does not come
   */
  until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    let waited = false;
    // Most waits are over before anybody asks again, and the answer costs a request for each consumer.
    const moved = async (): Promise<number | undefined> => {
      if (waited) return (await this.consumers.handled()).length;
      waited = true;
      return undefined;
    };
    return waitUntil(look, { everyMs: 200, missing: () => what, moved });
  }

  /** Waits for log lines of a function. @param entry of the function: `payments/request-payment` */
  logged(entry: string, wanted: Wanted, atLeast = 1): Promise<readonly LogLine[]> {
    return this.until(`${atLeast} log lines of ${entry} as ${JSON.stringify(wanted)}`, async () => {
      const lines = await this.logLines((fn) => fn.entry === entry, wanted);
      return lines.length >= atLeast ? lines : undefined;
    });
  }

  /** Waits for log lines of an idempotent consumer or of the receiver of an inbox. @param consumer its name */
  heard(consumer: string, wanted: Wanted, atLeast = 1): Promise<readonly LogLine[]> {
    return this.until(`${atLeast} log lines of ${consumer} as ${JSON.stringify(wanted)}`, async () => {
      const lines = await this.logLines((fn) => fn.consumer === consumer, wanted);
      return lines.length >= atLeast ? lines : undefined;
    });
  }

  private async logLines(chosen: (fn: FunctionDescription) => boolean, wanted: Wanted): Promise<readonly LogLine[]> {
    const lines = (await this.logs.lines(chosen)).map(parseFields);
    return lines
      .filter((line) => line !== undefined)
      .filter((line) => Object.entries(wanted).every(([name, value]) => line[name] === value))
      .toSorted((one, other) => String(one.timestamp).localeCompare(String(other.timestamp)));
  }

  /** Shows log lines: their time of day (UTC), who logs, the message, and some of their fields. */
  showLog(lines: readonly LogLine[], ...fields: readonly string[]): void {
    for (const line of lines) {
      const { timestamp, consumer, service, message } = line;
      const shown = fields.map((field) => `${field} ${shortenId(String(line[field]))}`);
      this.show(
        ['log', timeOf(String(timestamp)), String(consumer ?? service), JSON.stringify(message), ...shown].join('  '),
      );
    }
  }

  /** Runs a command of the operator's command line, and returns what it prints. */
  async orderly(...words: readonly string[]): Promise<string> {
    const endpointOf = async () => ({ ...this.endpoint, ahead: this.ahead });
    const printed: string[] = [];
    const errors: string[] = [];
    await operatorCommandLine({ ...ORDERLY, resolveEndpoint: endpointOf })(words, {
      out: (text) => printed.push(text),
      err: (text) => errors.push(text),
    });
    if (printed.length === 0) throw new Error(`orderly ${words.join(' ')}: ${errors.join('\n')}`);
    return printed.join('\n');
  }

  /** Returns a variable of a function's environment: a setting of the running cloud. @param entry of the function */
  async readSetting(entry: string, variable: string): Promise<unknown> {
    const FunctionName = parseFunctions(this.deployment.outputs).find((fn) => fn.entry === entry)?.name;
    const client = new LambdaClient(clientConfig(this.endpoint));
    const { Environment } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }));
    client.destroy();
    return JSON.parse(Environment?.Variables?.[variable] ?? 'null');
  }

  /** Lets time pass at once. It can't be taken back. */
  async forward(milliseconds: number): Promise<void> {
    ({ ahead: this.ahead } = await this.cloud.forward(milliseconds));
  }

  /** Time by the clock of the cloud, in milliseconds. */
  get now(): number {
    return Date.now() + this.ahead;
  }

  /** Asks the cloud for faults. They are withdrawn by {@link repair}. */
  async fault(owner: string, kind: string, next = 1): Promise<void> {
    this.afterwards(() => this.cloud.clearFaults());
    await this.cloud.injectFault(owner, kind, { next });
  }

  /**
   * Registers what makes good again what the demo is about to do: also if it fails, or somebody interrupts it.
   * @throws {Error} if it was interrupted: nothing may be broken behind its last repair
   */
  afterwards(repair: () => Promise<unknown>): void {
    if (this.interrupted) throw new Error('the demo was interrupted');
    this.repairs.push(repair);
  }

  /** Makes good what the demo has done so far, and lets it break nothing else. */
  interrupt(): Promise<void> {
    this.interrupted = true;
    return this.repair();
  }

  /** Makes good what the demo has done so far, the newest first. */
  async repair(): Promise<void> {
    for (let repair = this.repairs.pop(); repair; repair = this.repairs.pop()) await repair();
  }

  private createToken(who: string): string {
    return makeToken({ sub: who, role: who === OPERATOR ? 'operator' : 'customer', ahead: this.ahead });
  }
}

/** Time of day of a time in ISO 8601, UTC. */
export const timeOf = (at: string): string => at.slice(11, 23);

/** An amount in euros: `100.00 EUR`. @param cents */
export const inEuros = (cents: number): string => `${(cents / 100).toFixed(2)} EUR`;

/** Shortens ids in a text to their ends, as the command line does: the beginning of a UUID of version 7 is a time. */
export const shortenId = (text: string): string => text.replace(/[0-9a-f-]{32,36}/g, (id) => id.slice(-8));

/** Splits long lines that a command prints at the ends of their clauses. */
export const splitSentences = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => (line.length > 120 ? line.split(/(?<=\.) (?=[A-Z0-9])|(?<=;) /) : [line]));
