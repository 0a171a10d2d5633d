import { gunzipSync } from 'node:zlib';
import type { KMSClient } from '@aws-sdk/client-kms';
import { type DynamoDBDocumentClient, GetCommand, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { StockView } from '../../lambdas/inventory/contract.js';
import { type OrderlyClient, orderlyClient } from '../../packages/client/index.js';
import { Output } from '../../packages/kit/base/outputs.js';
import type { Commit } from '../../packages/kit/messages/commit.js';
import type { BusEntry, Envelope } from '../../packages/kit/messages/envelope.js';
import { PersonalKeys } from '../../packages/kit/personal-data/personal-keys.js';
import { parseServices, type Service } from '../../packages/operator/deployment/services.js';
import { exportPerson } from '../../packages/operator/people/export.js';
import { forgetPerson } from '../../packages/operator/people/forget.js';
import { findPersonalKeyLocation } from '../../packages/operator/people/personal-data.js';
import { peopleOfOrderly } from '../../tools/operator/people.js';
import type * as Port from '../acceptance/world.js';
import type { Deployed } from './deployed.js';
import { DeployedFunctions, listenerNamed, output } from './deployed-parts.js';
import { DocumentedApi } from './documented-api.js';
import { OrderWay, publishedMessages } from './order-way.js';

/** Facts that an adapter knows about its deployment. */
interface Parts {
  readonly outputs: Deployed['outputs'];
  /** Reads the deployment's tables. */
  readonly dynamodb: DynamoDBDocumentClient;
  /** Opens its people's keys. */
  readonly kms: KMSClient;
}

/** Answers that can't have a body. */
const NO_BODY: readonly number[] = [204, 304];

/**
 * The API's document. It is there before any world begins: the time of a world passes while a scenario waits for something outside of
 * it, so a document that the first call loads would give the first file of a process another history than later ones.
 */
const documented = await DocumentedApi.ofOrderly();

/** Common part of every world: how an order's way is read from the tables. */
export abstract class OrderlyWorld implements Port.World {
  abstract readonly makesFaults: boolean;
  abstract readonly passesDays: boolean;
  readonly takesTime: boolean = true;
  abstract readonly limits: Port.World['limits'];

  protected readonly functions: DeployedFunctions;
  private readonly services: readonly Service[];
  private readonly way: OrderWay;

  constructor(private readonly parts: Parts) {
    this.functions = new DeployedFunctions(parts.outputs);
    this.services = parseServices(parts.outputs);
    this.way = new OrderWay(this.services, parts.dynamodb);
  }

  abstract fresh(prefix: string): string;
  abstract uuid(): string;
  abstract time(secondsAgo?: number): string;
  abstract routes(): Promise<readonly string[]>;
  abstract badToken(fault: Port.TokenFault): string;
  abstract publish(...entries: readonly (Envelope | BusEntry)[]): Promise<void>;
  abstract send(consumer: Port.ConsumerName, ...bodies: readonly string[]): Promise<void>;
  abstract redrive(consumer: Port.ConsumerName, failure: Port.FailureRecord): Promise<void>;
  abstract crash(fn: Port.FunctionName, when: 'beforeWrite' | 'afterWrite', options: Port.FaultOptions): Promise<void>;
  abstract loseAnswer(fn: Port.FunctionName, operation: string, options: Port.FaultOptions): Promise<void>;
  abstract throttle(fn: Port.FunctionName, operation: string, options: Port.FaultOptions): Promise<void>;
  abstract failEntries(match: Port.EntryMatch, options: { errorCode: string; times: number }): Promise<void>;
  abstract heal(): Promise<void>;
  abstract eventually<T>(what: string, attempt: () => Promise<T>): Promise<T>;
  abstract pass(seconds: number): Promise<void>;
  abstract callsDuring(work: () => Promise<unknown>): Promise<readonly Port.FunctionCall[]>;
  /** Sends one request to the API. */
  protected abstract request(request: Port.ApiRequest): Promise<Omit<Port.ApiAnswer, 'body'>>;
  /** Lets time pass. */
  protected abstract wait(milliseconds: number): Promise<void>;
  /** Places beside the tables that hold any of these texts. */
  protected abstract copiesElsewhere(texts: readonly string[]): Promise<readonly string[]>;
  /** Faults that were set and that nothing has met yet. */
  protected abstract unmet(): Promise<readonly object[]>;
  /** Lines of a function's log that hold this text. */
  protected abstract logLines(fn: Port.FunctionName, including: string): Promise<readonly string[]>;

  /**
   * Sends a request, and compares what comes back with the API's document.
   * @throws {Error} if the answer has anything that the document does not have
   */
  async call<Body = Port.Json>(request: Port.ApiRequest): Promise<Port.ApiAnswer<Body>> {
    const answer = await this.request(request);
    const faults = documented.findFaults(request, answer);
    if (faults.length > 0) throw new Error(`not in the API's document:\n${faults.join('\n')}`);
    return { ...answer, body: parsed(answer.text) as Body };
  }

  client(as: Port.Caller, through = (send: Port.Send): Port.Send => send): OrderlyClient {
    const send: Port.Send = async (url, { method, headers, body, signal }) => {
      signal?.throwIfAborted();
      const { pathname, search } = new URL(url);
      const request = { method: method as Port.ApiRequest['method'], path: pathname + search, as };
      const {
        status,
        headers: answered,
        text,
      } = await this.call({
        ...request,
        headers: headers as Readonly<Record<string, string>>,
        ...(body !== undefined && { body }),
      });
      return new Response(NO_BODY.includes(status) ? null : text, { status, headers: answered });
    };
    return orderlyClient({
      baseUrl: 'https://api.test',
      fetch: through(send),
      wait: (milliseconds) => this.wait(milliseconds),
    });
  }

  async redeliver(filter: Port.EventFilter, times = 1): Promise<readonly Envelope[]> {
    const events = await this.events(filter);
    for (let round = 0; round < times; round++) await this.publish(...events.toReversed());
    return events;
  }

  async faultsMet(): Promise<void> {
    await this.eventually('each fault has happened', async () => this.refuseUnmet());
  }

  /** @throws {Error} */
  protected async refuseUnmet(): Promise<void> {
    const unmet = await this.unmet();
    if (unmet.length) throw new Error(`never happened, so nothing was shown: ${JSON.stringify(unmet)}`);
  }

  async settled(orderId: string): Promise<void> {
    const done = new Set<string>();
    await this.eventually(`everything about order ${orderId} is done`, () => this.way.refuseUnsettled(orderId, done));
  }

  async stock(sku: string): Promise<StockView | undefined> {
    const { status, body } = await this.call<StockView>({ method: 'GET', path: `/stock/${sku}`, as: 'operator' });
    return status === 404 ? undefined : body;
  }

  async moved(paymentId: string): Promise<Port.Moved> {
    const { Item } = await this.parts.dynamodb.send(
      new GetCommand({
        TableName: this.output('Payments', 'SandboxName'),
        Key: { pk: `TALLY#${paymentId}` },
        ConsistentRead: true,
      }),
    );
    const { charges = 0, chargeSum = 0, refunds = 0, refundSum = 0 } = Item ?? {};
    return { charges, charged: chargeSum, refunds, refunded: refundSum };
  }

  commits(aggregate: Port.Aggregate, id: string): Promise<readonly Commit[]> {
    return this.way.commits(aggregate, id);
  }

  async events({ aggregate, id, types }: Port.EventFilter): Promise<readonly Envelope[]> {
    const events = publishedMessages(aggregate, await this.commits(aggregate, id));
    return events.filter(({ type }) => types?.includes(type) ?? true);
  }

  async readRecord(consumer: Port.RecordingConsumer, messageId: string): Promise<Port.ConsumerRecord | undefined> {
    return (await this.way.record(listenerNamed(this.services, consumer), messageId)) as
      | Port.ConsumerRecord
      | undefined;
  }

  async failures(of: Port.ConsumerName | Port.RelayName, including: string): Promise<readonly Port.FailureRecord[]> {
    const { service, name } = listenerNamed(this.services, of);
    const found: Port.FailureRecord[] = [];
    for await (const { Items = [] } of paginateQuery(
      { client: this.parts.dynamodb },
      {
        TableName: service.records,
        IndexName: 'failed',
        KeyConditionExpression: 'failedConsumer = :name',
        ExpressionAttributeValues: { ':name': name },
      },
    )) {
      for (const item of Items as Port.FailureRecord[]) {
        if (item.messageId.includes(including) || item.payload?.includes(including)) found.push(item);
      }
    }
    return found;
  }

  async deliveries(consumer: Port.ConsumerName, messageId: string): Promise<Port.Deliveries> {
    const lane = this.functions.findLane(consumer);
    const own = await this.readLogsAbout(this.functions.findHandler(consumer), messageId);
    const writers = lane === undefined ? [] : await this.readLogsAbout(lane, messageId);
    const count = (said: readonly string[], message: string) => said.filter((one) => one === message).length;
    const applied = count([...own, ...writers], 'applied');
    // What the consumer stored for its lane is what the writer applied, or a duplicate of which the writer need not hear.
    const ended = count(own, 'applied') + count(own, 'duplicate');
    const duplicate = applied > 0 ? ended + count(own, 'stored for the lane') - applied : count(own, 'duplicate');
    return { applied, duplicate, retried: count(own, 'retrying') };
  }

  /** Returns what a function logged about a message. */
  private async readLogsAbout(fn: Port.FunctionName, messageId: string): Promise<readonly string[]> {
    return (await this.logLines(fn, messageId)).flatMap((text) => {
      const line = parsed(text) as { eventId?: string; message?: string } | undefined;
      return line?.eventId === messageId && line.message !== undefined ? [line.message] : [];
    });
  }

  async forget(person: string): Promise<void> {
    await forgetPerson(this.operator, peopleOfOrderly, { person, dryRun: false });
  }

  async exported(person: string): Promise<Port.Json> {
    const { dynamodb: documents, kms } = this.parts;
    const open = new PersonalKeys({ ...findPersonalKeyLocation(this.operator), documents, kms });
    return (await exportPerson(this.operator, peopleOfOrderly, open, { person })).json;
  }

  async findCopies(...texts: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const [stack, outputs] of Object.entries(this.parts.outputs)) {
      for (const name of [Output.TABLE, Output.RECORDS, Output.PERSONAL_KEYS].filter((name) => outputs[name])) {
        const pages = paginateScan({ client: this.parts.dynamodb }, { TableName: this.output(stack, name) });
        for await (const { Items = [] } of pages) {
          const holding = Items.filter((item) => texts.some((text) => serializeItem(item).includes(text)));
          found.push(...holding.map(({ pk, sk = '' }) => `${stack} ${name} ${pk}/${sk}`));
        }
      }
    }
    return [...found, ...(await this.copiesElsewhere(texts))];
  }

  /** Context of an operator's commands. */
  private get operator() {
    const { dynamodb: documents, outputs: stacks } = this.parts;
    const clock = { now: () => this.time() };
    return { documents, clock, stacks, services: this.services, environment: 'tested', actor: async () => 'tester' };
  }

  /** @throws {Error} where the deployment hasn't it */
  protected output(stack: string, name: string): string {
    return output(this.parts, stack, name);
  }

  protected findQueueUrl(name: Port.ConsumerName): string {
    return listenerNamed(this.services, name).consumer?.queueUrl ?? '';
  }
}

/** An envelope as the relay would publish it; anything else as it is. */
export const toBusEntry = (entry: Envelope | BusEntry): BusEntry =>
  'Detail' in entry ? entry : { Source: entry.source, DetailType: entry.type, Detail: JSON.stringify(entry) };

/** An answer's JSON; nothing where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An item with all that is packed or binary in it. */
const serializeItem = (item: Record<string, unknown>): string =>
  JSON.stringify(item) +
  Object.values(item)
    .filter((value) => value instanceof Uint8Array)
    .map((bytes) => Buffer.from(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8'))
    .join('');
