import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
  ResourceNotFoundException,
} from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { KMSClient } from '@aws-sdk/client-kms';
import {
  GetQueueAttributesCommand,
  paginateListQueues,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { settingsFor } from '../../lib/settings.js';
import { REDRIVE } from '../../packages/kit/failures/delivery.js';
import type { BusEntry, Envelope } from '../../packages/kit/messages/envelope.js';
import { clientConfig } from '../../packages/operator/deployment/endpoint.js';
import { STACKS } from '../../tools/local/deploy.js';
import { waitUntil } from '../../tools/local/progress.js';
import type * as Port from '../acceptance/world.js';
import type { Deployed } from './deployed.js';
import { logGroups } from './deployed-parts.js';
import { OrderlyWorld, toBusEntry } from './orderly-world.js';
import { ProxyControl } from './proxy-control.js';
import { listRoutes } from './template-routes.js';
import { devIssuer, Tokens } from './tokens.js';

/** A step is sent again after a minute, by the next tick of a sweeper that ticks each minute: until then nothing is written. */
const LONGEST_SILENCE_MS = 3 * 60_000;

/** Milliseconds between two looks. A look costs the emulator more than a step of an order does, so frequent ones slow down both. */
const LOOK_EVERY_MS = 500;

/** In the place of a minute, while a crash is awaited: a dead consumer's messages come back after this many seconds. */
const IMPATIENT_VISIBILITY = 4;

/** Each request under way is a process of its own here: more would only wait for a core, until the emulator gives up. */
const REQUESTS_AT_ONCE = 16;

/** Orderly as it is deployed to LocalStack or another endpoint; faults are made by the proxy, where there is one. */
export class LocalStackWorld extends OrderlyWorld {
  readonly makesFaults: boolean;
  readonly passesDays: boolean = false;
  readonly limits = settingsFor('dev').customerLimits;
  private readonly sqs: SQSClient;
  private readonly bus: EventBridgeClient;
  private readonly logs: CloudWatchLogsClient;
  private readonly proxy: ProxyControl | undefined;
  private groups: ReturnType<typeof logGroups> | undefined;
  private readonly tokens: Tokens;
  private readonly began = Date.now();
  private readonly requests = new Lanes(REQUESTS_AT_ONCE);
  /** Visibility timeouts to be put back, by queue. */
  private readonly hurried = new Map<string, string>();

  constructor(private readonly deployed: Deployed) {
    const config = clientConfig({ url: deployed.endpoint, region: deployed.region });
    super({
      outputs: deployed.outputs,
      dynamodb: DynamoDBDocumentClient.from(new DynamoDBClient(config)),
      kms: new KMSClient(config),
    });
    // The queue's address names a host that needs not resolve.
    this.sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: deployed.endpoint === undefined });
    this.bus = new EventBridgeClient(config);
    this.logs = new CloudWatchLogsClient(config);
    this.proxy = deployed.proxyUrl === undefined ? undefined : new ProxyControl(deployed.proxyUrl);
    this.makesFaults = this.proxy !== undefined;
    this.tokens = new Tokens(devIssuer(() => this.now()));
  }

  /** Milliseconds since 1970, by the deployment's clock. */
  protected now(): number {
    return Date.now();
  }

  fresh(prefix: string): string {
    return `${prefix}-${randomUUID().slice(0, 13)}`;
  }

  uuid(): string {
    return randomUUID();
  }

  time(secondsAgo = 0): string {
    return new Date(this.now() - secondsAgo * 1000).toISOString();
  }

  async routes(): Promise<readonly string[]> {
    const client = new CloudFormationClient(
      clientConfig({ url: this.deployed.endpoint, region: this.deployed.region }),
    );
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: `${STACKS}Api` }));
    client.destroy();
    return listRoutes(JSON.parse(TemplateBody));
  }

  protected async request({
    method,
    path,
    as,
    body,
    key,
    headers,
  }: Port.ApiRequest): Promise<Omit<Port.ApiAnswer, 'body'>> {
    const token = this.tokens.of(as);
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
      return { status, headers: Object.fromEntries(response.headers), text };
    });
  }

  badToken(fault: Port.TokenFault): string {
    return this.tokens.bad(fault);
  }

  protected wait(milliseconds: number): Promise<void> {
    return sleep(milliseconds);
  }

  async publish(...entries: readonly (Envelope | BusEntry)[]): Promise<void> {
    const EventBusName = this.output('Platform', 'BusName');
    for (const Entries of chunked(entries.map(toBusEntry), 10)) {
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
          QueueUrl: this.findQueueUrl(consumer),
          Entries: some.map((MessageBody, at) => ({ Id: String(at), MessageBody })),
        }),
      );
      if (Failed.length) throw new Error(`the queue refused ${Failed.length} messages of the scenario`);
    }
  }

  async redrive(consumer: Port.ConsumerName, { payload }: Port.FailureRecord): Promise<void> {
    await this.sqs.send(
      new SendMessageCommand({
        QueueUrl: this.findQueueUrl(consumer),
        MessageBody: payload,
        MessageAttributes: { [REDRIVE]: { DataType: 'String', StringValue: 'again' } },
      }),
    );
  }

  async crash(fn: Port.FunctionName, when: 'beforeWrite' | 'afterWrite', options: Port.FaultOptions): Promise<void> {
    for (const consumer of this.functions.handledBy(fn)) await this.hurry(consumer);
    const crash = when === 'beforeWrite' ? 'crashBeforeWrite' : 'crashAfterWrite';
    await this.faults()[crash](this.functions.findPhysicalName(fn), options);
  }

  loseAnswer(fn: Port.FunctionName, operation: string, options: Port.FaultOptions): Promise<void> {
    return this.faults().loseAnswer(this.functions.findPhysicalName(fn), operation, options);
  }

  throttle(fn: Port.FunctionName, operation: string, options: Port.FaultOptions): Promise<void> {
    return this.faults().throttle(this.functions.findPhysicalName(fn), operation, options);
  }

  failEntries(match: Port.EntryMatch, options: { errorCode: string; times: number }): Promise<void> {
    return this.faults().failEntries({ match, ...options });
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

  protected async unmet(): Promise<readonly object[]> {
    return (await this.proxy?.unmet()) ?? [];
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
      {
        idleMs: LONGEST_SILENCE_MS,
        everyMs: LOOK_EVERY_MS,
        missing: () => `${what}; last seen: ${last instanceof Error ? last.message : last}`,
        ...(this.proxy && { moved: () => this.proxy?.writes() }),
      },
    );
    return result;
  }

  async pass(_seconds: number): Promise<void> {
    throw new Error('time is real here: expected a test to ask passesDays first');
  }

  async callsDuring(work: () => Promise<unknown>): Promise<readonly Port.FunctionCall[]> {
    // Calls stand in the journal in the order in which they ended, which is not that of their numbers.
    const since = Math.max(0, ...(await this.faults().calls()).map(({ n }) => n));
    await work();
    const calls = await this.faults().calls({ since });
    return calls
      .toSorted((one, other) => one.n - other.n)
      .map(({ functionName, service, operation, status, capacity = [] }) => ({
        fn: this.functions.calledInScenarios(functionName),
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

  protected async logLines(fn: Port.FunctionName, including: string): Promise<readonly string[]> {
    this.groups ??= logGroups(this.deployed);
    const name = this.functions.findPhysicalName(fn);
    const groups = (await this.groups).get(name) ?? [];
    return (await Promise.all(groups.map((group) => this.readLogLines(group, [including], name)))).flat();
  }

  /** Queues are read by LocalStack's own route, which hides no message from its consumer; elsewhere they aren't. */
  protected async copiesElsewhere(texts: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    const holds = (content: string) => texts.some((text) => content.includes(text));
    for await (const { logGroups: groups = [] } of paginateDescribeLogGroups({ client: this.logs }, {})) {
      for (const { logGroupName = '' } of groups) {
        // LocalStack's filter lets more through.
        const lines = await this.readLogLines(logGroupName, texts);
        if (lines.some(holds)) found.push(`log group ${logGroupName}`);
      }
    }
    const { endpoint } = this.deployed;
    if (endpoint === undefined) return found;
    for await (const { QueueUrls = [] } of paginateListQueues({ client: this.sqs }, {})) {
      for (const url of QueueUrls) {
        const [account, name] = url.split('/').slice(-2);
        const route = `${endpoint}/_aws/sqs/messages/${this.deployed.region}/${account}/${name}?ShowInvisible=true`;
        const response = await fetch(route, { headers: { Accept: 'application/json' } });
        const messages = await response.text();
        if (!response.ok) throw new Error(`queue ${name} can't be looked into: ${messages}`);
        if (holds(messages)) found.push(`queue ${url}`);
      }
    }
    return found;
  }

  /**
   * Reads the log lines of this world's own time that contain any of these texts.
   * @param fn whose lines are read in a group that functions share
   */
  private async readLogLines(logGroupName: string, texts: readonly string[], fn?: string): Promise<readonly string[]> {
    const lines: string[] = [];
    const any = texts.length > 1 ? '?' : '';
    try {
      for await (const { events = [] } of paginateFilterLogEvents(
        { client: this.logs },
        { logGroupName, startTime: this.began, filterPattern: texts.map((text) => `${any}"${text}"`).join(' ') },
      )) {
        for (const { logStreamName = '', message = '' } of events) {
          // The name of a stream in a shared group contains the function's.
          if (fn === undefined || !/\/[^/[]+\[/.test(logStreamName) || logStreamName.includes(`/${fn}[`))
            lines.push(message);
        }
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
    const QueueUrl = this.findQueueUrl(consumer);
    if (this.hurried.has(QueueUrl)) return;
    const { Attributes } = await this.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout'] }),
    );
    this.hurried.set(QueueUrl, Attributes?.VisibilityTimeout ?? '60');
    const VisibilityTimeout = String(IMPATIENT_VISIBILITY);
    await this.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout } }));
    // A long poll that has begun continues with the old one: a message of no meaning ends it.
    const nothing = this.fresh('nothing');
    await this.send(consumer, nothing);
    await this.eventually(`${consumer} polls again`, async () => {
      if ((await this.failures(consumer, nothing)).length === 0) throw new Error('not seen yet');
    });
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

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const chunked = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
