import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { settingsFor } from '../../lib/settings.js';
import { REDRIVE } from '../../packages/kit/failures/delivery.js';
import type { BusEntry, Envelope } from '../../packages/kit/messages/envelope.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import type { Random } from '../../packages/simulator/engine/random.js';
import type { ApiResponse } from '../../packages/simulator/services/apigateway/messages.js';
import type { DynamoDbModel, Operation } from '../../packages/simulator/services/dynamodb/model.js';
import { requiredAccess } from '../../packages/simulator/services/events/put-events.js';
import type { Kms } from '../../packages/simulator/services/kms/model.js';
import type { Queue } from '../../packages/simulator/services/sqs/model.js';
import type { Operation as ApiOperation } from '../../packages/simulator/wire/operation.js';
import { dueRecords } from '../../tools/local/awaits.js';
import type * as Port from '../acceptance/world.js';
import { FaultsByHand } from './faults-by-hand.js';
import { takeFewerSteps } from './fewer-steps.js';
import { OrderlyWorld, toBusEntry } from './orderly-world.js';
import { loadSharedDeployment } from './simulation/app-code.js';
import { prodAssembly, webhooksAssembly } from './simulation/assembly.js';
import { copiesBesideTables } from './simulation/copies.js';
import { AUDIENCE, ISSUER, ISSUERS } from './simulation/issuer.js';
import { readStackOutputs } from './simulation/stacks.js';
import { Tokens } from './tokens.js';
import { VirtualTime } from './virtual-time.js';

/** How long a condition may take to come about, virtual milliseconds: a message of a crashed function waits minutes. */
const LIMIT = 30 * 60_000;
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 5_000;
/** Tells whether a rule brings messages to the service of webhooks. */
const isOfWebhooks = (label: string): boolean => label.startsWith('Webhooks/');
/** Lines of the trace that a condition's error shows. */
const SHOWN = 40;

/**
 * Orderly as it would be deployed to `prod`, in the simulator: real templates and bundles, modelled services, a clock of
 * its own. Time passes while a scenario waits for something, and stands still otherwise.
 */
export class SimulatorWorld extends OrderlyWorld {
  readonly makesFaults = true;
  readonly passesDays = true;
  readonly limits = settingsFor('prod').customerLimits;
  private readonly cloud: Cloud;
  private readonly virtual: VirtualTime;
  private readonly random: Random;
  private readonly faults = new FaultsByHand((name) => this.functions.calledInScenarios(name));
  private readonly tokens: Tokens;
  private names = 0;

  /**
   * @param seed of the history: another one lets things happen in another order
   * @param more `hasWebhooks`: whether the routes of webhooks are deployed. @default they aren't
   */
  constructor(
    private readonly seed: string,
    { hasWebhooks = false }: { readonly hasWebhooks?: boolean } = {},
  ) {
    const folder = hasWebhooks ? webhooksAssembly() : prodAssembly();
    const cloud = new Cloud(loadSharedDeployment(folder), { seed, recycle: true });
    // They would double the messages of every order. A scenario that registers one receives events of the orders from then on.
    cloud.events.disable(isOfWebhooks);
    super({
      outputs: readStackOutputs(cloud.deployment.assembly),
      dynamodb: createDocumentClient(cloud.dynamodb),
      kms: createKmsClient(cloud.kms),
    });
    this.cloud = cloud;
    this.random = cloud.world.random.fork('scenarios');
    this.virtual = new VirtualTime(cloud.world);
    this.tokens = new Tokens({
      issuer: ISSUER,
      audience: AUDIENCE,
      algorithm: 'EdDSA',
      keyId: ISSUERS.issuer.keyId,
      publicKey: ISSUERS.issuer.publicKey(),
      now: () => Math.floor(cloud.world.now / 1000),
      signature: (text, by) => ISSUERS[by].signature(text),
    });
    cloud.calls.interceptor = this.faults;
  }

  /** The history is over: its environments may serve another world. */
  end(): void {
    this.cloud.end();
  }

  fresh(prefix: string): string {
    return `${prefix}-${this.random.id(8)}-${String(++this.names).padStart(4, '0')}`;
  }

  uuid(): string {
    return this.random.id();
  }

  time(secondsAgo = 0): string {
    return new Date(this.cloud.world.now - secondsAgo * 1000).toISOString();
  }

  async routes(): Promise<readonly string[]> {
    const routes = this.cloud.apis.flatMap((api) => api.routes).filter(({ method }) => method !== 'ANY');
    return routes.map(({ method, resource }) => `${method} ${resource}`).sort();
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
    const sent = new Headers({
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...headers,
    });
    // As HTTP clients send it: `..` and `.` are steps, and what needs an escape has one.
    const { pathname, search } = new URL(`https://api.test${path}`);
    const request = {
      method,
      path: pathname + search,
      headers: Object.fromEntries(sent),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    const { world, apis, events } = this.cloud;
    if (method === 'POST' && path === '/webhooks') events.enable(isOfWebhooks);
    world.note(`client ${method} ${path}`);
    const response = await this.virtual.wait<ApiResponse>((done) => apis[0]?.request(request, done));
    world.note(`client ${method} ${path} -> ${response.status}`);
    const { status, body: text } = response;
    return { status, headers: response.headers, text };
  }

  badToken(fault: Port.TokenFault): string {
    return this.tokens.bad(fault);
  }

  async publish(...entries: readonly (Envelope | BusEntry)[]): Promise<void> {
    await this.arrives();
    const { events, iam } = this.cloud;
    const bus = events.busName(this.output('Platform', 'BusName'));
    if (bus === undefined) throw new Error('the deployment has no bus');
    for (const { Source, DetailType, Detail } of entries.map(toBusEntry)) {
      // An administrator's rights end where the bus's own policy denies.
      if (iam.resourceDenies(requiredAccess({ EventBusName: bus, Source, DetailType })))
        throw new Error(`the policy of the bus denies events of ${Source}`);
      events.put(bus, { source: Source, detailType: DetailType, detail: JSON.parse(Detail) });
    }
  }

  async send(consumer: Port.ConsumerName, ...bodies: readonly string[]): Promise<void> {
    await this.arrives();
    for (const body of bodies) this.findQueue(consumer).send({ body });
  }

  async redrive(consumer: Port.ConsumerName, { payload = '' }: Port.FailureRecord): Promise<void> {
    await this.arrives();
    const attributes = { [REDRIVE]: { DataType: 'String', StringValue: 'again' } };
    this.findQueue(consumer).send({ body: payload, attributes });
  }

  private findQueue(consumer: Port.ConsumerName): Queue {
    const queue = [...this.cloud.queues.values()].find(({ resource }) => resource.ref === this.findQueueUrl(consumer));
    if (!queue) throw new Error(`the deployment has no queue of ${consumer}`);
    return queue;
  }

  async crash(fn: Port.FunctionName, when: 'beforeWrite' | 'afterWrite', options: Port.FaultOptions): Promise<void> {
    this.faults.crash(this.functions.findPhysicalName(fn), when, options);
  }

  async loseAnswer(fn: Port.FunctionName, operation: string, options: Port.FaultOptions): Promise<void> {
    this.faults.loseAnswer(this.functions.findPhysicalName(fn), operation, options);
  }

  async throttle(fn: Port.FunctionName, operation: string, options: Port.FaultOptions): Promise<void> {
    this.faults.throttle(this.functions.findPhysicalName(fn), operation, options);
  }

  async failEntries(match: Port.EntryMatch, options: { errorCode: string; times: number }): Promise<void> {
    this.faults.plan.add({ kind: 'fail-entries', match, ...options });
  }

  protected async unmet(): Promise<readonly object[]> {
    return this.faults.plan.unmet();
  }

  async heal(): Promise<void> {
    const unmet = this.refuseUnmet();
    this.faults.plan.clear();
    await unmet;
  }

  async eventually<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    const { world } = this.cloud;
    const end = world.now + LIMIT;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(1.5 * pause, LONGEST_PAUSE)) {
      try {
        return await attempt();
      } catch (error) {
        if (world.now >= end) throw new Error(this.missing(what, error), { cause: error });
      }
      await this.passes(pause);
    }
  }

  async pass(seconds: number): Promise<void> {
    const { schedules } = this.cloud.events;
    // Thousands of ticks would find nothing. From here on, the only rules that tick are those of sweepers that find something.
    schedules.nextWorkAt = dueRecords(this.cloud);
    schedules.replan();
    await this.passes(seconds * 1000);
  }

  async callsDuring(work: () => Promise<unknown>): Promise<readonly Port.FunctionCall[]> {
    const since = this.faults.calls.length;
    await work();
    return this.faults.calls.slice(since);
  }

  protected async logLines(fn: Port.FunctionName, including: string): Promise<readonly string[]> {
    const { log, functions } = this.cloud;
    const name = this.functions.findPhysicalName(fn);
    const label = [...functions.values()].find(({ resource }) => resource.ref === name)?.label;
    return log.filter((line) => line.fn === label && line.text.includes(including)).map(({ text }) => text);
  }

  protected async copiesElsewhere(texts: readonly string[]): Promise<readonly string[]> {
    return texts.flatMap((text) => copiesBesideTables(this.cloud, text));
  }

  private missing(what: string, error: unknown): string {
    const seen = error instanceof Error ? error.message : error;
    const trace = this.cloud.world.trace.lines.slice(-SHOWN).join('\n');
    return `not within ${LIMIT / 60_000} minutes: ${what}; last seen: ${seen}\nseed ${this.seed}, in the end:\n${trace}`;
  }

  /** On its way to AWS each of our messages takes its own time, so that two begun at once may meet or not. */
  private arrives(): Promise<void> {
    return this.passes(this.random.between(1, 60));
  }

  protected wait(milliseconds: number): Promise<void> {
    return this.passes(milliseconds);
  }

  private passes(milliseconds: number): Promise<void> {
    return this.virtual.wait((done) => this.cloud.world.after(milliseconds, () => done(undefined)));
  }
}

/** The SDK's client, whose requests the model answers. */
const createDocumentClient = (model: DynamoDbModel): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    takeFewerSteps(
      new DynamoDBClient(handledByModel('1.0', (operation, input) => model.call(operation as Operation, input).output)),
    ),
  );

const createKmsClient = (kms: Kms): KMSClient =>
  takeFewerSteps(
    new KMSClient(handledByModel('1.1', (operation, input) => (kms.operations[operation] as ApiOperation)(input))),
  );

/** Settings of a client of AWS JSON whose requests are carried out in process. */
function handledByModel(json: '1.0' | '1.1', call: (operation: string, input: Record<string, unknown>) => object) {
  const handle = async ({ headers, body }: { headers: Record<string, string>; body?: Uint8Array }) => {
    const operation = (headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const output = call(operation, JSON.parse(new TextDecoder().decode(body)));
    const answer = { statusCode: 200, headers: { 'content-type': `application/x-amz-json-${json}` } };
    return { response: { ...answer, body: Buffer.from(JSON.stringify(output)) } };
  };
  const credentials = { accessKeyId: 'scenario', secretAccessKey: 'scenario' };
  return { region: 'eu-west-1', credentials, requestHandler: { handle } };
}
