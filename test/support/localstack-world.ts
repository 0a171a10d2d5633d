import { randomUUID } from 'node:crypto';
import {
  CloudWatchLogsClient,
  paginateFilterLogEvents,
  ResourceNotFoundException,
} from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Commit } from '../../lambdas/patterns/event-store/commit.js';
import { type BusEntry, busEntries, type Envelope } from '../../lambdas/patterns/outbox/envelope.js';
import type { StockView } from '../../lambdas/services/inventory/contract.js';
import { clientConfig } from '../../tools/local/endpoint.js';
import { waitUntil } from '../../tools/local/progress.js';
import type * as Port from '../acceptance/world.js';
import type { Deployed } from './deployed.js';
import { CONSUMERS, functionOf, LISTENERS, logGroups, output, PART_OF_NAME, RELAYS } from './deployed-parts.js';
import { ProxyControl } from './proxy-control.js';
import { badTokenOf, tokenOf } from './tokens.js';

/** How long a condition may take to come about here; nothing of ours needs a tenth of it. */
const LIMIT_MS = 50_000;
/** In the place of a minute, while a crash is awaited: a dead consumer's messages come back after this many seconds. */
const IMPATIENT_VISIBILITY = 4;

/** Each request under way is a process of its own here: more would only wait for a core, until the emulator gives up. */
const REQUESTS_AT_ONCE = 16;

/** Orderly as it is deployed to LocalStack or another endpoint; faults are made by the proxy, where there is one. */
export class LocalStackWorld implements Port.World {
  readonly makesFaults: boolean;
  private readonly dynamodb: DynamoDBDocumentClient;
  private readonly sqs: SQSClient;
  private readonly bus: EventBridgeClient;
  private readonly logs: CloudWatchLogsClient;
  private readonly proxy: ProxyControl | undefined;
  private groups: ReturnType<typeof logGroups> | undefined;
  private readonly requests = new Lanes(REQUESTS_AT_ONCE);
  /** Visibility timeouts to be put back, by queue. */
  private readonly hurried = new Map<string, string>();

  constructor(private readonly deployed: Deployed) {
    const config = clientConfig({ url: deployed.endpoint, region: deployed.region });
    this.dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(config));
    // The queue's address names a host that needs not resolve.
    this.sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: deployed.endpoint === undefined });
    this.bus = new EventBridgeClient(config);
    this.logs = new CloudWatchLogsClient(config);
    this.proxy = deployed.proxyUrl === undefined ? undefined : new ProxyControl(deployed.proxyUrl);
    this.makesFaults = this.proxy !== undefined;
  }

  fresh(prefix: string): string {
    return `${prefix}-${randomUUID().slice(0, 13)}`;
  }

  time(secondsAgo = 0): string {
    return new Date(Date.now() - secondsAgo * 1000).toISOString();
  }

  async call<Body = Port.Json>({
    method,
    path,
    as,
    body,
    key,
    headers,
  }: Port.ApiRequest): Promise<Port.ApiAnswer<Body>> {
    const token = tokenOf(as);
    return this.requests.run(async () => {
      const response = await fetch(this.deployed.apiUrl + path, {
        method,
        headers: {
          'Content-Type': 'application/json',
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'Idempotency-Key': key }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const { status } = response;
      return { status, headers: Object.fromEntries(response.headers), body: parsed(text) as Body, text };
    });
  }

  badToken(fault: Port.TokenFault): string {
    return badTokenOf(fault);
  }

  async publish(...entries: readonly (Envelope | BusEntry)[]): Promise<void> {
    const EventBusName = output(this.deployed, 'Platform', 'BusName');
    for (const Entries of chunked(entries.map(entryOf), 10)) {
      const { FailedEntryCount } = await this.bus.send(
        new PutEventsCommand({ Entries: Entries.map((entry) => ({ EventBusName, ...entry })) }),
      );
      if (FailedEntryCount) throw new Error(`the bus refused ${FailedEntryCount} entries of the scenario`);
    }
  }

  async send(consumer: Port.ConsumerName, ...bodies: readonly string[]): Promise<void> {
    for (const some of chunked(bodies, 10)) {
      const { Failed = [] } = await this.sqs.send(
        new SendMessageBatchCommand({
          QueueUrl: this.queueOf(consumer),
          Entries: some.map((MessageBody, at) => ({ Id: String(at), MessageBody })),
        }),
      );
      if (Failed.length) throw new Error(`the queue refused ${Failed.length} messages of the scenario`);
    }
  }

  async redeliver(filter: Port.EventFilter, times = 1): Promise<readonly Envelope[]> {
    const events = await this.events(filter);
    for (let round = 0; round < times; round++) await this.publish(...events.toReversed());
    return events;
  }

  async crash(fn: Port.FunctionName, when: 'beforeWrite' | 'afterWrite', options: Port.FaultOptions): Promise<void> {
    for (const consumer of Object.keys(CONSUMERS) as Port.ConsumerName[]) {
      if (CONSUMERS[consumer].fn === fn) await this.hurry(consumer);
    }
    const crash = when === 'beforeWrite' ? 'crashBeforeWrite' : 'crashAfterWrite';
    await this.faults()[crash](PART_OF_NAME[fn], options);
  }

  loseAnswer(fn: Port.FunctionName, operation: string, options: Port.FaultOptions): Promise<void> {
    return this.faults().loseAnswer(PART_OF_NAME[fn], operation, options);
  }

  throttle(fn: Port.FunctionName, operation: string, options: Port.FaultOptions): Promise<void> {
    return this.faults().throttle(PART_OF_NAME[fn], operation, options);
  }

  failEntries(match: Port.EntryMatch, options: { errorCode: string; times: number }): Promise<void> {
    return this.faults().failEntries({ match, ...options });
  }

  async faultsMet(): Promise<void> {
    await this.eventually('each fault has happened', async () => this.refuseUnmet());
  }

  async heal(): Promise<void> {
    const unmet = this.refuseUnmet();
    await unmet.catch(() => undefined);
    await this.proxy?.reset();
    for (const [QueueUrl, VisibilityTimeout] of this.hurried) {
      await this.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout } }));
    }
    this.hurried.clear();
    await unmet;
  }

  private async refuseUnmet(): Promise<void> {
    const unmet = (await this.proxy?.unmet()) ?? [];
    if (unmet.length) throw new Error(`never happened, so nothing was shown: ${JSON.stringify(unmet)}`);
  }

  async eventually<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    let last: unknown;
    const { result } = await waitUntil(
      async () => {
        try {
          return { result: await attempt() };
        } catch (error) {
          last = error;
          return undefined;
        }
      },
      { limitMs: LIMIT_MS, missing: () => `${what}; last seen: ${last instanceof Error ? last.message : last}` },
    );
    return result;
  }

  async settled(orderId: string): Promise<void> {
    await this.eventually(`everything about order ${orderId} is done`, async () => {
      const before = await this.bothCommits(orderId);
      const events = before.flatMap(({ service, commits }) =>
        commits.flatMap((commit) => envelopesOf(commit, service)),
      );
      for (const event of events) {
        for (const consumer of LISTENERS[event.type] ?? []) {
          if (!(await this.isDone(consumer, event))) throw new Error(`${consumer} has not done ${event.type}`);
        }
      }
      const count = (all: typeof before) => all.reduce((sum, { commits }) => sum + commits.length, 0);
      if (count(await this.bothCommits(orderId)) !== count(before)) throw new Error('a commit came in between');
    });
  }

  async stock(sku: string): Promise<StockView | undefined> {
    const { status, body } = await this.call<StockView>({ method: 'GET', path: `/stock/${sku}`, as: 'operator' });
    return status === 404 ? undefined : body;
  }

  async commits(aggregate: Port.Aggregate, id: string): Promise<readonly Commit[]> {
    const commits: Commit[] = [];
    for await (const { Items = [] } of paginateQuery(
      { client: this.dynamodb },
      {
        TableName: output(this.deployed, aggregate === 'Order' ? 'Orders' : 'Inventory', 'TableName'),
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :commit)',
        ExpressionAttributeValues: { ':pk': `${aggregate}#${id}`, ':commit': 'COMMIT#' },
        ConsistentRead: true,
      },
    )) {
      commits.push(...(Items as Commit[]));
    }
    return commits;
  }

  async events({ aggregate, id, types }: Port.EventFilter): Promise<readonly Envelope[]> {
    const service = aggregate === 'Order' ? 'orders' : 'inventory';
    const events = (await this.commits(aggregate, id)).flatMap((commit) => envelopesOf(commit, service));
    return events.filter(({ type }) => types?.includes(type) ?? true);
  }

  async recordOf(consumer: Port.RecordingConsumer, messageId: string): Promise<Port.ConsumerRecord | undefined> {
    return (await this.record(consumer, messageId)) as Port.ConsumerRecord | undefined;
  }

  async failures(of: Port.ConsumerName | Port.RelayName, including: string): Promise<readonly Port.FailureRecord[]> {
    const [stack, name] =
      of in RELAYS ? [RELAYS[of as Port.RelayName], 'relay'] : [stackOf(of as Port.ConsumerName), of];
    const found: Port.FailureRecord[] = [];
    for await (const { Items = [] } of paginateQuery(
      { client: this.dynamodb },
      {
        TableName: output(this.deployed, stack, 'RecordsName'),
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
    this.groups ??= logGroups(this.deployed);
    const groups = (await this.groups).get(CONSUMERS[consumer].fn) ?? [];
    const lines = (await Promise.all(groups.map((group) => this.logLines(group, messageId)))).flat();
    const said = lines.flatMap((text) => {
      const line = parsed(text) as { eventId?: string; message?: string } | undefined;
      return line?.eventId === messageId && line.message !== undefined ? [line.message] : [];
    });
    const count = (message: string) => said.filter((one) => one === message).length;
    return { applied: count('applied'), duplicate: count('duplicate'), retried: count('will be tried again') };
  }

  async callsDuring(work: () => Promise<unknown>): Promise<readonly Port.FunctionCall[]> {
    const since = (await this.faults().calls()).at(-1)?.n ?? 0;
    await work();
    const calls = await this.faults().calls({ since });
    return calls
      .toSorted((one, other) => one.n - other.n)
      .map(({ functionName, service, operation, status, capacity = [] }) => ({
        fn: functionOf(functionName),
        service,
        operation,
        failed: status < 200 || status > 299,
        unanswered: status === 0,
        units: {
          table: sum(capacity.map(({ Table, CapacityUnits }) => Table?.CapacityUnits ?? CapacityUnits)),
          indexes: Object.fromEntries(
            capacity
              .flatMap(({ GlobalSecondaryIndexes = {} }) => Object.entries(GlobalSecondaryIndexes))
              .map(([name, { CapacityUnits }]) => [name, CapacityUnits]),
          ),
        },
      }));
  }

  private async logLines(logGroupName: string, including: string): Promise<readonly string[]> {
    const lines: string[] = [];
    try {
      for await (const { events = [] } of paginateFilterLogEvents(
        { client: this.logs },
        { logGroupName, filterPattern: `"${including}"` },
      )) {
        lines.push(...events.map(({ message = '' }) => message));
      }
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error; // nothing has been logged there yet
    }
    return lines;
  }

  private faults(): ProxyControl {
    if (!this.proxy) throw new Error('faults need the proxy, which is not there under ORDERLY_ENDPOINT');
    return this.proxy;
  }

  /** A message of a crashed function comes back after its visibility timeout: a minute that proves nothing. */
  private async hurry(consumer: Port.ConsumerName): Promise<void> {
    const QueueUrl = this.queueOf(consumer);
    if (this.hurried.has(QueueUrl)) return;
    const { Attributes } = await this.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout'] }),
    );
    this.hurried.set(QueueUrl, Attributes?.VisibilityTimeout ?? '60');
    const VisibilityTimeout = String(IMPATIENT_VISIBILITY);
    await this.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout } }));
    // A long poll that has begun goes on with the old one: a message of no meaning ends it.
    const nothing = this.fresh('nothing');
    await this.send(consumer, nothing);
    await this.eventually(`${consumer} polls anew`, async () => {
      if ((await this.failures(consumer, nothing)).length === 0) throw new Error('not seen yet');
    });
  }

  private queueOf(consumer: Port.ConsumerName): string {
    return output(this.deployed, stackOf(consumer), `${CONSUMERS[consumer].construct}QueueUrl`);
  }

  private bothCommits(orderId: string) {
    return Promise.all([
      this.commits('Order', orderId).then((commits) => ({ service: 'orders', commits })),
      this.commits('Reservation', orderId).then((commits) => ({ service: 'inventory', commits })),
    ]);
  }

  /** A projection keeps no records of what it has done: its row's version tells. */
  private async isDone(consumer: Port.ConsumerName, event: Envelope): Promise<boolean> {
    if (await this.record(consumer, event.id)) return true;
    if (consumer !== 'orders-list') return false;
    const [placed] = await this.commits('Order', event.subject.slice('Order/'.length));
    const { customerId, placedAt, orderId } = JSON.parse(placed?.events[0]?.data ?? '{}');
    const { Item } = await this.dynamodb.send(
      new GetCommand({
        TableName: output(this.deployed, 'Orders', 'TableName'),
        Key: { pk: `CUSTOMER#${customerId}`, sk: `ORDER#${placedAt}#${orderId}` },
      }),
    );
    return (Item?.version ?? 0) >= event.sequence;
  }

  private async record(consumer: Port.ConsumerName, messageId: string) {
    const { Item } = await this.dynamodb.send(
      new GetCommand({
        TableName: output(this.deployed, stackOf(consumer), 'RecordsName'),
        Key: { pk: `${consumer}@0#${messageId}` },
        ConsistentRead: true,
      }),
    );
    return Item;
  }
}

/** Lets so many pass at once; the others wait for their turn. */
class Lanes {
  private readonly waiting: (() => void)[] = [];
  constructor(private free: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}

const stackOf = (consumer: Port.ConsumerName): string => CONSUMERS[consumer].stack;

const entryOf = (entry: Envelope | BusEntry): BusEntry =>
  'Detail' in entry ? entry : { Source: entry.source, DetailType: entry.type, Detail: JSON.stringify(entry) };

const envelopesOf = (commit: Commit, service: string): readonly Envelope[] =>
  busEntries(commit, { service, epoch: 0 }).map(({ Detail }) => JSON.parse(Detail) as Envelope);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const chunked = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
