import { Assembly, type Resource } from '../assembly/assembly.js';
import { isRun } from '../assembly/custom-resources.js';
import type { AccountAndRegion } from '../assembly/identity.js';
import { AssemblyNotModelled, type Obstacle, ObstaclesMet } from '../assembly/obstacles.js';
import { EventLoop } from '../engine/event-loop.js';
import {
  type Fault,
  type FaultPlan,
  FaultsAfterwards,
  FixedFaults,
  LOSSES,
  ownerOf,
  ToldFaults,
  WithLosses,
} from '../engine/faults.js';
import { Happenings } from '../engine/happenings.js';
import { Middle, Random } from '../engine/random.js';
import { Bundle } from '../runtime/bundle.js';
import { readHandlerFile, toSingleFile } from '../runtime/function-code.js';
import { EnvironmentPool } from '../runtime/recycled.js';
import type { Endpoint } from '../services/apigateway/endpoint.js';
import { RestApi } from '../services/apigateway/model.js';
import { CustomResources } from '../services/cloudformation/custom-resources.js';
import { UserPools } from '../services/cognito/model.js';
import { drawIndexDelay } from '../services/dynamodb/administration/catalog.js';
import type { TableCall } from '../services/dynamodb/api.js';
import { DynamoDbModel } from '../services/dynamodb/model.js';
import { toPlainItem } from '../services/dynamodb/plain.js';
import type { StreamRecord } from '../services/dynamodb/wire.js';
import { EventBridge } from '../services/events/model.js';
import { createFunctionUrls } from '../services/httpapi/function-url.js';
import type { FindKeys } from '../services/httpapi/jwt-authorizer.js';
import { createHttpApis } from '../services/httpapi/model.js';
import { Iam } from '../services/iam/model.js';
import { KinesisStreams } from '../services/kinesis/model.js';
import { Kms } from '../services/kms/model.js';
import { AsyncInvocations } from '../services/lambda/async-invoke.js';
import { type SharedConcurrency, unreservedConcurrency } from '../services/lambda/concurrency.js';
import { LambdaFunction, type LogLine } from '../services/lambda/model.js';
import type { StreamMapping } from '../services/lambda/stream-mapping.js';
import { LogSubscriptions } from '../services/logs/subscriptions.js';
import { readPipe } from '../services/pipes/definition.js';
import { Pipe } from '../services/pipes/pipe.js';
import { DEPLOYS_FILES, readDeployedFiles } from '../services/s3/deployed-files.js';
import { Buckets } from '../services/s3/model.js';
import { BucketNotifications, findBucketsOnBus } from '../services/s3/notifications.js';
import { Scheduler } from '../services/scheduler/model.js';
import { Secrets } from '../services/secretsmanager/model.js';
import { Topics } from '../services/sns/model.js';
import { checkFifoTargets, connectDeadLetters } from '../services/sqs/fifo-checks.js';
import { createQueue } from '../services/sqs/fifo-queue.js';
import type { Queue } from '../services/sqs/model.js';
import { Parameters } from '../services/ssm/model.js';
import { StateMachines } from '../services/states/model.js';
import type { ServiceCall } from '../services/states/tasks.js';
import { createAwsCustomResource } from './aws-custom-resource.js';
import { Calls } from './calls.js';
import type { CloudOptions, LiveOptions } from './cloud-options.js';
import { resolveVariables } from './dynamic-references.js';
import { findObstacles } from './find-obstacles.js';
import { callForMachine, serveGateway } from './machine-calls.js';
import type { OutsideHosts } from './outside-hosts.js';
import { type FunctionSource, Pollers } from './pollers.js';
import { AccountServices, type Services } from './services.js';
import { ThirdParties } from './third-parties.js';

export interface DeploymentOptions {
  /**
   * What becomes of that which no model plays: each is refused, or those are ignored that carry no message, or all are collected only.
   * @default refused
   */
  readonly obstacles?: 'refused' | 'ignored' | 'collected';
  /** Models of hosts outside of AWS, in each of its histories. @default none */
  readonly outside?: OutsideHosts | undefined;
}

/** A deployment: templates and compiled bundles. All runs share it, since none changes it. */
export class Deployment {
  /**
   * Whether histories reuse environments of earlier ones. It ends when the same history came out differently with used ones: then a
   * module keeps something that counts.
   */
  recycles = true;
  /** What its assembly has that isn't played: nothing, unless it was made to be tolerant. */
  readonly obstacles: readonly Obstacle[];
  /** Models of hosts outside of AWS. */
  readonly outside: OutsideHosts;
  private readonly bundles = new Map<string, Bundle>();

  /**
   * @param change changes a function's code, by its label; it may return a bundle with the code
   * @param recycled environments of earlier histories
   * @throws {AssemblyNotModelled} names all that isn't modelled
   */
  constructor(
    readonly assembly: Assembly,
    private readonly change: (source: string, label: string) => string | Bundle = (source) => source,
    readonly recycled: EnvironmentPool = new EnvironmentPool(),
    { obstacles = 'refused', outside = {} }: DeploymentOptions = {},
  ) {
    const found = findObstacles(assembly);
    const refused = { refused: found, ignored: found.filter(({ mayBeIgnored }) => !mayBeIgnored), collected: [] };
    if (refused[obstacles].length > 0) throw new AssemblyNotModelled(refused[obstacles]);
    this.obstacles = found;
    this.outside = outside;
  }

  /** Puts new code in the place of a function's. @param label path of its construct @param source of the bundle */
  replace(label: string, source: string): void {
    this.bundles.set(label, new Bundle(label, source));
  }

  /** @throws {CodeNotRunnable} */
  loadBundle(resource: Resource): Bundle {
    const { label } = resource;
    const name = label.replace(/\/Function$/, '');
    const known = this.bundles.get(name);
    if (known) return known;
    const file = readHandlerFile(resource, this.assembly);
    const code = this.change(file.source, name);
    const bundle =
      typeof code === 'string'
        ? new Bundle(name, toSingleFile({ ...file, source: code }, name), { files: file.files })
        : code;
    this.bundles.set(name, bundle);
    return bundle;
  }
}

/** Share of the changes of global secondary indexes that are late, in a history where some are. */
const LATE_INDEX = 0.02;

/** Age at which a shard rolls over: about four hours. AWS documents no number. */
const SHARD_ROLLS_OVER = 4 * 3_600_000;

/** Interval of TTL deletions; with no lag TTL deletes within this time. */
const TTL_ROUND = 3_600_000;

/** An account that contains all resources of a deployment, at the beginning of its history. */
export class Cloud {
  readonly world: EventLoop;
  /** What has happened; `undefined` if nobody watches. */
  readonly happenings: Happenings | undefined;
  readonly faults: FaultPlan;
  readonly iam: Iam;
  readonly dynamodb: DynamoDbModel;
  readonly functions = new Map<string, LambdaFunction>();
  readonly queues = new Map<string, Queue>();
  private readonly pollers: Pollers;
  /** Asynchronous invocations of functions. */
  readonly asynchronous: AsyncInvocations;
  readonly events: EventBridge;
  readonly topics: Topics;
  readonly machines: StateMachines;
  readonly buckets: Buckets;
  readonly kms: Kms;
  readonly parameters: Parameters;
  readonly userPools: UserPools;
  readonly secrets: Secrets;
  /** EventBridge Scheduler. */
  readonly scheduler: Scheduler;
  /** Kinesis data streams. */
  readonly kinesis: KinesisStreams;
  /** Custom resources of its stacks, as far as their functions have created them. */
  readonly customResources: CustomResources;
  /** Operations of its services. */
  readonly services: Services;
  /** Models of services outside of AWS that functions call. */
  readonly thirdParties: ThirdParties;
  /** Addresses that answer HTTP requests. */
  readonly apis: readonly Endpoint[];
  readonly log: LogLine[];
  readonly tableCalls: TableCall[];
  readonly calls: Calls;
  /** Concurrency that no function has reserved; a scenario can occupy it to simulate other users of the account. */
  readonly unreserved: SharedConcurrency;
  /** Whether messages and events may be lost. */
  readonly losesMessages: boolean;
  /** Items after which a page that is read from a table ends. */
  readonly pageItems: number | undefined;
  /** Least delay of changes on their way to global secondary indexes, milliseconds: a scenario may set it. */
  minIndexDelay = 0;

  /** @throws {AssemblyNotModelled} names all that its models refuse */
  constructor(
    readonly deployment: Deployment,
    options: CloudOptions,
  ) {
    const { assembly } = deployment;
    const { seed, keepTrace = true, clockSkew = 0, coldness = 0, ttlLag = 2 * 86_400_000, recycle = false } = options;
    const { recording, replays, live, load, indexLag = 0, shardChanges = 0, losses = false, pageItems } = options;
    const { begins, keySeed, steady = false, isWatched = false } = options;
    this.losesMessages = losses;
    this.pageItems = pageItems;
    const happenings = live?.happenings ?? (isWatched ? new Happenings() : undefined);
    this.happenings = happenings;
    const world = new EventLoop({
      seed,
      keepTrace,
      isSteady: steady,
      ...(begins !== undefined && { begins }),
      ...(happenings && { happenings }),
      ...(live && liveLoop(live)),
    });
    const met = new ObstaclesMet();
    const given = options.faults ?? new FixedFaults([]);
    const tellFault = ({ point, kind }: Fault): void =>
      world.tell(() => ({ kind: 'fault', owner: ownerOf(point), id: point, fault: kind }));
    const plan = isWatched ? new ToldFaults(given, tellFault) : given;
    const afterwards = new FaultsAfterwards(plan, () => this.customResources.isUnderWay);
    const faults = losses ? new WithLosses(afterwards) : afterwards;
    const iam = new Iam(assembly);
    const random = steady ? new Middle(seed) : world.random.fork('dynamodb');
    const lateIndexes = world.random.fork('late indexes');
    const shards = world.random.fork('shards');
    const dynamodb = new DynamoDbModel({
      now: () => world.now,
      random: () => random.fraction(),
      indexDelay: (usual) => {
        const delay = drawIndexDelay(usual);
        if (indexLag > 0 && lateIndexes.chance(LATE_INDEX)) return lateIndexes.between(0, indexLag);
        return Math.max(delay, this.minIndexDelay);
      },
      shardChange: (age) => {
        if (shardChanges === 0) return undefined;
        if (shards.chance(shardChanges)) return shards.pick(['splits', 'rolls over'] as const);
        return age >= SHARD_ROLLS_OVER ? 'rolls over' : undefined;
      },
      pageItems,
      region: assembly.home.region,
      account: assembly.home.account,
      partitions: load?.partitions,
      // The records of one shard make larger batches than those of several.
      ...(live && { shardsPerStream: 1 }),
    });
    this.world = world;
    this.log = world.records();
    this.tableCalls = world.evidence();
    this.faults = faults;
    this.iam = iam;
    this.dynamodb = dynamodb;
    for (const table of [
      ...assembly.findByType('AWS::DynamoDB::GlobalTable'),
      ...assembly.findByType('AWS::DynamoDB::Table'),
    ]) {
      const label = table.attributes.StreamArn?.split('/').at(-1);
      const description = { Type: table.type, Properties: table.properties };
      met.attempt(table, () => dynamodb.createTable(table.ref, description, label));
    }
    for (const queue of assembly.findByType('AWS::SQS::Queue'))
      met.attempt(queue, () => this.queues.set(queue.arn, createQueue(queue, world, faults)));
    connectDeadLetters(this.queues, met);
    checkFifoTargets(assembly, this.queues, met);
    this.buckets = new Buckets(
      world,
      new Map(assembly.findByType('AWS::S3::Bucket').map((bucket) => [bucket.ref, bucket])),
      assembly.home.account,
      findBucketsOnBus(assembly),
    );
    for (const deployment of assembly.findByType(DEPLOYS_FILES))
      met.attempt(deployment, () => {
        for (const { bucket, key, body, contentType } of readDeployedFiles(deployment, assembly))
          this.buckets.put(bucket, key, body, contentType);
      });
    const keys = keySeed === undefined ? world.random : new Random(keySeed);
    this.kms = new Kms(assembly.findByType('AWS::KMS::Key'), keys.fork('kms'));
    this.parameters = new Parameters(world, assembly.home, assembly.findByType('AWS::SSM::Parameter'));
    this.secrets = new Secrets(assembly.findByType('AWS::SecretsManager::Secret'), world, assembly.home);
    this.kinesis = new KinesisStreams(assembly.findByType('AWS::Kinesis::Stream'), world);
    const { functions, queues } = this;
    const configurations = new Map(
      assembly
        .findByType('AWS::Lambda::EventInvokeConfig')
        .map((config) => [String(config.properties.FunctionName), config]),
    );
    this.asynchronous = new AsyncInvocations({ world, iam, functions, queues, configurations });
    this.topics = new Topics(assembly, { world, faults, iam, queues, functions: this.asynchronous, met });
    const { asynchronous, topics, home } = this;
    const call: ServiceCall = (request, caller) => callForMachine(this.services, request, caller, live?.log);
    this.machines = new StateMachines(assembly, { world, faults, iam, home, functions, asynchronous, call, met });
    const { machines } = this;
    const targets = { queues, functions: asynchronous, topics, machines };
    this.events = new EventBridge(assembly, { world, faults, iam, ...targets, met });
    this.buckets.events = this.events;
    const published = { world, faults, iam, queues, functions: asynchronous, topics, met };
    this.buckets.notifications = new BucketNotifications(assembly, published);
    asynchronous.others = { topics, events: this.events };
    this.userPools = new UserPools(assembly, { world, iam, functions, home });
    this.services = new AccountServices(this, (line) => live?.log(line));
    this.thirdParties = new ThirdParties(world, faults, live?.log);
    const addresses = this.userPools.pools.map(({ issuer }) => new URL(issuer).host);
    for (const host of new Set([...addresses, ...this.userPools.domains.keys()]))
      this.thirdParties.addOfAccount(
        host,
        (request) => this.userPools.answer(request) ?? { status: 404, headers: {}, body: '' },
      );
    this.thirdParties.addAll(deployment.outside);
    this.calls = new Calls(world, faults, this.services, this.thirdParties, load, live?.log);
    this.customResources = new CustomResources(assembly, {
      world,
      functions,
      asynchronous,
      thirdParties: this.thirdParties,
      log: live?.log,
    });
    const invoke = (arn: string, event: unknown): void => this.asynchronous.invokeAsync(arn, event);
    const subscriptions = new LogSubscriptions(assembly, { world, iam, functions, invoke });
    const log = (line: LogLine): void => {
      this.log.push(line);
      subscriptions.take(line);
    };
    this.unreserved = unreservedConcurrency(assembly, options.quota);
    for (const fn of assembly.findByType('AWS::Lambda::Function')) {
      const recycled = recycle ? { recycled: deployment.recycled, recording, replays } : {};
      const settings = {
        world,
        faults,
        send: this.calls.send,
        log,
        shared: this.unreserved,
        clockSkew,
        coldness,
        ...(live && { host: live.host, environments: live.environments, onInvocationEnd: live.onInvocationEnd }),
        ...recycled,
      };
      met.attempt(fn, () => {
        const resolved = resolveVariables(fn, this);
        functions.set(fn.arn, new LambdaFunction(resolved, () => deployment.loadBundle(fn), settings));
      });
    }
    const { buckets } = this;
    const loses = losses ? (id: string) => faults.faultAt({ id, kinds: LOSSES }) === 'lost' : undefined;
    this.pollers = new Pollers({ world, iam, dynamodb, buckets, queues, topics, kinesis: this.kinesis, load, loses });
    for (const mapping of assembly.findByType('AWS::Lambda::EventSourceMapping'))
      met.attempt(mapping, () => this.pollers.map(mapping, functions, assembly));
    const pipes = { world, faults, iam, functions, asynchronous, machines, call };
    for (const pipe of assembly.findByType('AWS::Pipes::Pipe'))
      met.attempt(pipe, () => this.pollers.connect(new Pipe(readPipe(pipe, assembly), pipes)));
    const findKeys: FindKeys = (issuer, then) => this.thirdParties.findKeys(issuer, then);
    const around = {
      world,
      faults,
      ...serveGateway(this.services, live?.log),
      iam,
      functions,
      share: load?.apiShare,
      met,
      findKeys,
      findPool: this.userPools.find,
      asynchronous,
    };
    const restApis = assembly
      .findByType('AWS::ApiGateway::RestApi')
      .flatMap((api) => met.attempt(api, () => new RestApi(api, assembly, around)) ?? []);
    this.apis = [...restApis, ...createHttpApis(assembly, around), ...createFunctionUrls(assembly, around)];
    this.scheduler = new Scheduler({ world, faults, iam, home, functions, asynchronous, queues, call });
    for (const schedule of assembly.findByType('AWS::Scheduler::Schedule'))
      met.attempt(schedule, () => this.scheduler.add(schedule));
    for (const custom of assembly.findByType('Custom::AWS'))
      met.attempt(custom, () => createAwsCustomResource(custom, this.services, functions));
    for (const custom of assembly.resources.filter(isRun))
      met.attempt(custom, () => CustomResources.check(custom, functions));
    met.throwAll();
    this.expireInBackground(ttlLag);
  }

  /** Lets the history go on until its deployment is over: until its custom resources are created. @throws {DeploymentFailed} */
  async deployed(): Promise<void> {
    await this.customResources.created();
  }

  /** Ends the history: its remaining environments may serve another one. */
  end(): void {
    for (const fn of this.functions.values()) fn.recycle();
  }

  /** Pollers of tables' streams, for functions and for pipes. */
  get streams(): readonly StreamMapping<StreamRecord>[] {
    return this.pollers.streams;
  }

  /** Event source mappings, of queues and of streams. */
  get sources(): readonly FunctionSource[] {
    return this.pollers.mappings;
  }

  /** Its account and region. */
  get home(): AccountAndRegion {
    return this.deployment.assembly.home;
  }

  /** @param label path of its construct. @throws {Error} if it doesn't exist */
  fn(label: string): LambdaFunction {
    const found = [...this.functions.values()].find((fn) => fn.label === label);
    if (!found) throw new Error(`there is no function ${label}`);
    return found;
  }

  /** @param label path of its construct. @throws {Error} if it doesn't exist */
  queue(label: string): Queue {
    const found = [...this.queues.values()].find((queue) => queue.label === label);
    if (!found) throw new Error(`there is no queue ${label}`);
    return found;
  }

  /**
   * Returns the items of a table as plain objects, in the order of their keys.
   * @param table path of its construct, or its name. @throws {Error} if it doesn't exist
   */
  listItems(table: string): readonly Record<string, unknown>[] {
    const { assembly } = this.deployment;
    const tables = [
      ...assembly.findByType('AWS::DynamoDB::GlobalTable'),
      ...assembly.findByType('AWS::DynamoDB::Table'),
    ];
    const found = tables.find(({ label, ref }) => label === table || ref === table);
    if (!found)
      throw new Error(`there is no table ${table}; there are: ${tables.map(({ label }) => label).join(', ')}`);
    return this.dynamodb.items(found.ref).map(toPlainItem);
  }

  /** Must be called after a write to a table: its stream has records, and schedules may have work. */
  onTableWritten(table: string): void {
    this.events.schedules.replan();
    this.pollers.wakeStreamsOf(table);
  }

  private expireInBackground(lag: number): void {
    const { world, dynamodb } = this;
    world.afterInBackground(TTL_ROUND, () => {
      const gone = dynamodb.expire(world.now - lag);
      if (gone.length > 0) world.note(`TTL deletes ${gone.length} items`);
      for (const table of new Set(gone.map(({ table }) => table))) this.onTableWritten(table);
      this.expireInBackground(lag);
    });
  }
}

const liveLoop = ({ begins, historyLimit }: LiveOptions) => ({
  begins,
  isLive: true,
  ...(historyLimit !== undefined && { historyLimit }),
});

const deployments = new Map<string, Deployment>();

/**
 * Returns the deployment of a cloud assembly. It is a singleton of the process, so that later runs find environments
 * that V8 has warmed up to.
 * @param folder an assembly, which doesn't change
 */
export function loadDeployment(folder: string): Deployment {
  const deployment = deployments.get(folder) ?? new Deployment(new Assembly(folder));
  deployments.set(folder, deployment);
  return deployment;
}
