import { Duration, Lazy, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { FEED_INDEX } from '../aws/indexes.js';
import { Metric } from '../aws/metric-names.js';
import { alarm, serviceMetric } from '../base/alarms.construct.js';
import { corsEnvironment } from '../base/cors-settings.js';
import { windowVariable } from '../base/dedupe-window.js';
import type { AnyBus, AnyTable } from '../base/interfaces.js';
import { keepExport } from '../base/kept-exports.js';
import { addPinnedOutput } from '../base/logical-ids.js';
import { metricsNamespace } from '../base/metrics-namespace.js';
import { type ConsumerDescription, type FunctionDescription, Output } from '../base/outputs.js';
import { QueueAccess } from '../base/queue-access.construct.js';
import { setRunbook } from '../base/runbook.js';
import { ServiceAlarms } from '../base/service-alarms.construct.js';
import { type ServiceContext, ServiceFunction, type ServiceFunctionProps } from '../base/service-function.construct.js';
import { checkApp, type EnvironmentSettings, resolveEpoch, resolveFeedShards } from '../base/settings.js';
import { recordsTable } from '../base/tables.construct.js';
import { tokenEnvironment } from '../base/token-environment.js';
import { recordsPrefix } from '../failures/contract.js';
import type { Route } from '../http/api.construct.js';
import { MAX_WAIT_SECONDS, WAITS } from '../http/contract.js';
import type { IdempotentConsumer } from '../idempotent-consumer/idempotent-consumer.construct.js';
import { API_RECORDS, SESSIONS } from '../idempotent-receiver/contract.js';
import { InboxDispatcher } from '../inbox/dispatcher.construct.js';
import { DEFAULT_PARALLELISM, Inbox, type InboxOptions } from '../inbox/inbox.construct.js';
import { single } from '../inbox/modes.construct.js';
import { listTypesOffBus, type ServiceContract } from '../messages/contract.js';
import { aggregateKeyPrefix } from '../messages/keys.js';
import type { EventSubscription } from '../messages/subscriptions.js';
import { Outbox } from '../outbox/outbox.construct.js';
import { PROJECTIONS } from '../projection/contract.js';
import { roundTripKey, stuckKey } from '../saga/contract.js';
import { Timers } from '../timers/timers.construct.js';
import { addListener, type ListenerProps } from './listener.construct.js';
import { type LaneListenerProps, ServiceLanes, type SharedLaneProps } from './service-lanes.construct.js';

/** Props that all services of an environment share. */
export interface EnvironmentProps {
  readonly settings: EnvironmentSettings;
  readonly bundles: ServiceContext['bundles'];
  /** Bus on which the services publish, and from which they hear the others. */
  readonly bus: AnyBus;
  readonly alarmTopic: ITopic;
}

export interface ServiceProps extends EnvironmentProps {
  /** Name of the service, as in its contract: `orders`. */
  readonly name: string;
  /**
   * Records table of this service alone, made by `recordsTable` in another stack, or with the same keys, indexes and TTL.
   * Two services can't share one, because the keys of answered requests don't say whose they are.
   *
   * The service's own table can't be given: the relay reads its stream, and no interface of CDK promises the indexes,
   * keys and stream image that it needs.
   * @default a new table
   */
  readonly records?: AnyTable;
  /**
   * Contracts of the events that the service commits. The relay publishes no type that is `onBus: false` in one of them.
   * @default every event is published
   */
  readonly contracts?: readonly ServiceContract[];
}

/** Messages that are stored first and processed afterwards. */
export interface ServiceInboxProps
  extends InboxOptions,
    Pick<ListenerProps, 'name' | 'subscribesTo' | 'generation' | 'since' | 'maxConcurrency' | 'fair'> {
  /** Entry point of the processing function: `export const handler = inbox([...])`. */
  readonly entry: string;
  /** Timeout of one message's processing, at most 15 minutes. @default Duration.minutes(1) */
  readonly timeout?: Duration;
}

/** Consumer that may wait for something. */
export interface ServiceConsumerProps extends ListenerProps {
  /** Whether it sets timers: its own queue receives them when they are due. @default false */
  readonly timers?: boolean;
}

/** List of a service's own aggregates. */
export interface ProjectionProps extends Pick<ListenerProps, 'fair'> {
  /** Name of its consumer, and part of its pointer's key. Never change it. */
  readonly name: string;
  /** Entry point of its consumer. */
  readonly entry: string;
  /** Entry point of the function that rebuilds it. */
  readonly rebuildEntry: string;
  /** All events of the aggregate. */
  readonly subscribesTo: EventSubscription;
  /** Type of its aggregates: `Order`. */
  readonly aggregate: string;
  /** Prefix of the partition keys of its rows. No other items may have it: `CUSTOMER#`. */
  readonly rows: string;
}

/** Timeout of a rebuild's call. The call works for a third of it (projection/rebuilder.ts). */
const REBUILD_TIMEOUT = Duration.seconds(30);
/** Timeout of an endpoint that waits: its wait, and the time of any other one. API Gateway ends a request after 29 seconds. */
const WAITING_TIMEOUT = Duration.seconds(MAX_WAIT_SECONDS + 8);
/** Timeout of an inbox's processing function, unless its service names another one. */
const INBOX_TIMEOUT = Duration.minutes(1);

/**
 * A service: its table with outbox and relay, its records table, and its functions. Only its own functions have
 * permissions on the tables. Other services hear its events, and the API calls its endpoints.
 *
 * Several services fit into one stack. The construct id is the prefix of the logical ids of both tables and of the
 * outputs (`Output`), so it never changes: with another id, CloudFormation would create empty tables. A service
 * that has its stack to itself takes the id `Default`, which adds no prefix.
 * @example
 * const board = new Service(stack, 'Board', { settings, bundles, bus, alarmTopic, name: 'board' });
 * board.grantAppend(board.addEndpoint('OpenTicket', openTicket, 'open-ticket'), 'Ticket');
 * board.grantEffect(board.addConsumer('Assign', { name: 'assign-ticket', subscribesTo: [opened] }), 'Ticket');
 */
export class Service extends Construct {
  /** Endpoints of this service; `Api` puts them behind the gateway. */
  readonly routes: Route[] = [];
  readonly context: ServiceContext;
  readonly table: TableV2;
  readonly records: AnyTable;
  private readonly outbox: Outbox;
  private readonly bus: AnyBus;
  private readonly alarmTopic: ITopic;
  private readonly consumers: ConsumerDescription[] = [];
  /** Reader of the records' stream, if the service has an inbox. */
  private dispatcher: InboxDispatcher | undefined;

  /** @throws {SettingsError} for a malformed name of the application */
  constructor(scope: Construct, id: string, props: ServiceProps) {
    super(scope, id);
    setRunbook(this, props.settings);
    const { name, settings, bundles, bus, alarmTopic, contracts = [] } = props;
    checkApp(settings);
    this.bus = bus;
    this.alarmTopic = alarmTopic;
    this.context = { service: name, settings, bundles };
    // Before its parts, which find it.
    const alarms = new ServiceAlarms(this, alarmTopic);
    new QueueAccess(this, settings);
    this.records = props.records ?? recordsTable(this, 'Records', settings);
    this.outbox = new Outbox(this, 'Outbox', {
      context: this.context,
      bus,
      records: this.records,
      alarmTopic,
      offBus: listTypesOffBus(contracts),
    });
    this.table = this.outbox.table;

    alarms.watch('FailureRecorded', {
      metric: serviceMetric(metricsNamespace(settings), name, Metric.CONSUMER_FAILURES),
      label: 'messages that could not be processed',
    });
    addPinnedOutput(this, Output.TABLE, this.table.tableName);
    addPinnedOutput(this, Output.RECORDS, this.records.tableName);
    addPinnedOutput(this, Output.SERVICE, name);
    addPinnedOutput(this, Output.RELAY, this.outbox.relay.function.functionName);
    addPinnedOutput(this, Output.EPOCH, String(resolveEpoch(settings, name)));
    addPinnedOutput(this, Output.FEED_SHARDS, JSON.stringify(resolveFeedShards(settings)));
    // Lazy: consumers and functions are added later.
    const later = (produce: () => unknown) => Lazy.string({ produce: () => Stack.of(this).toJsonString(produce()) });
    addPinnedOutput(
      this,
      Output.CONSUMERS,
      later(() => this.consumers),
    );
    addPinnedOutput(
      this,
      Output.FUNCTIONS,
      later(() => this.describeFunctions()),
    );
    this.node.addValidation({ validate: () => this.findSharedRecords() });
  }

  /**
   * Adds a function behind the API. Grant it what it may do with the tables.
   * @param route declaration of the route, or its method and path
   * @param entry entry point of the function
   *   A route with `waits` has time for it, and may take its caller's slots.
   * @param throttle limits of this route alone. @default those of every route
   */
  addEndpoint(
    id: string,
    { method, path, waits = false }: Pick<Route, 'method' | 'path'> & { readonly waits?: boolean },
    entry: string,
    { throttle }: Pick<Route, 'throttle'> = {},
  ): ServiceFunction {
    const handler = this.createEndpoint(id, entry, waits ? { timeout: WAITING_TIMEOUT } : {});
    if (waits) handler.grantItems(this.records, ['PutItem', 'DeleteItem'], WAITS);
    this.routes.push({ method, path, handler, ...(throttle && { throttle }) });
    return handler;
  }

  /**
   * Keeps the function of an endpoint that the API no longer serves, for one release: the one that removes the route, moves it
   * to another service or gives it another construct id. The deployed API imports the function's ARN until it is deployed
   * itself, after this service ({@link keepExport}), and calls it until then. So keep its grants, too. The next release
   * removes all of it.
   * @param id construct id of the endpoint
   * @param entry entry point of the function
   */
  addRetiredEndpoint(id: string, entry: string): ServiceFunction {
    const handler = this.createEndpoint(id, entry);
    keepExport(Stack.of(this), handler.function.functionArn);
    return handler;
  }

  private createEndpoint(id: string, entry: string, more: Pick<ServiceFunctionProps, 'timeout'> = {}): ServiceFunction {
    const { settings } = this.context;
    const { dedupeWindow } = settings;
    return new ServiceFunction(this, id, {
      context: this.context,
      entry,
      kind: 'request',
      environment: {
        ...this.tableEnvironment(),
        [Env.DEDUPE_WINDOW_SECONDS]: windowVariable(dedupeWindow),
        ...tokenEnvironment(settings),
        ...corsEnvironment(settings),
      },
      audited: true,
      ...more,
    });
  }

  /**
   * Adds the routes that open a session for numbered requests, and that show one to its client: `POST <path>` and
   * `GET <path>/{sessionId}`.
   * @param takers endpoints that take such requests
   */
  addSessions(path: string, takers: readonly ServiceFunction[]): void {
    const openSession = this.addEndpoint(
      'OpenSession',
      { method: 'POST', path },
      'kit/idempotent-receiver/open-session',
    );
    openSession.grantItems(this.records, ['PutItem'], SESSIONS);
    const one = { method: 'GET', path: `${path}/{sessionId}` } as const;
    const getSession = this.addEndpoint('GetSession', one, 'kit/idempotent-receiver/get-session');
    getSession.grantItems(this.records, ['GetItem'], SESSIONS);
    for (const taker of takers) taker.grantItems(this.records, ['GetItem', 'UpdateItem'], SESSIONS);
    for (const handler of [openSession, getSession, ...takers]) handler.setEnvironment(Env.SESSIONS, path);
  }

  /** Adds a function that consumes messages and has one effect for each. */
  addConsumer(id: string, { timers = false, ...props }: ServiceConsumerProps): ServiceFunction {
    const { consumer, description } = this.createListener(id, props);
    this.consumers.push({ ...description, projection: false });
    if (timers) this.addTimers(id, consumer);
    return consumer.handler;
  }

  /**
   * Adds an inbox: a function that only stores messages and acknowledges them, and the function that processes them
   * afterwards. Processing may take minutes.
   * @returns the processing function. Grant it what its handlers do.
   */
  addInbox(
    id: string,
    {
      entry,
      timeout = INBOX_TIMEOUT,
      name,
      subscribesTo,
      generation,
      since,
      maxConcurrency,
      fair,
      ...options
    }: ServiceInboxProps,
  ) {
    const { alarmTopic, context, records } = this;
    const store = {
      name,
      subscribesTo,
      entry: 'kit/inbox/receive',
      ...(generation === undefined ? {} : { generation }),
      ...(since === undefined ? {} : { since }),
      ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
      ...(fair === undefined ? {} : { fair }),
    };
    const { consumer, description } = this.createListener(id, store);
    const runner = new ServiceFunction(this, `Run${id}`, {
      context,
      entry,
      kind: (options.mode ?? single()).mode === 'batch' ? 'job' : 'message',
      environment: this.tableEnvironment(),
      timeout,
      reservedConcurrency: options.parallel ?? DEFAULT_PARALLELISM,
    });
    this.dispatcher ??= new InboxDispatcher(this, 'Inboxes', { context, records, alarmTopic });
    const { queue } = new Inbox(this, `${id}Inbox`, {
      ...options,
      consumer,
      runner,
      dispatcher: this.dispatcher,
      alarmTopic,
    });
    const { mode } = options.mode ?? single();
    const inbox = { mode, queueUrl: queue.queueUrl, ...(options.waitsForOthers && { waitsForOthers: true as const }) };
    this.consumers.push({ ...description, projection: false, inbox });
    return runner;
  }

  /**
   * Adds a consumer with a lane for keys under contention. Both functions need the permissions that their effects need.
   * @returns the consumer's function, and the lane's writer
   */
  addLane(
    id: string,
    { laneEntry: entry, hotKeys, ...props }: LaneListenerProps,
  ): { readonly handler: ServiceFunction; readonly writer: ServiceFunction } {
    const owner = this.createListener(id, props);
    return this.lanes.add(id, owner, { entry, hotKeys });
  }

  /**
   * Adds several consumers that change the same aggregates, with one lane for the aggregates under contention. All functions
   * need the permissions that their effects need.
   * @returns the consumers' functions by their ids, and the lane's writer
   */
  addSharedLane<const Id extends string>(
    id: string,
    { name, laneEntry: entry, hotKeys, consumers }: SharedLaneProps<Id>,
  ): { readonly handlers: Readonly<Record<Id, ServiceFunction>>; readonly writer: ServiceFunction } {
    const owners = Object.entries<ListenerProps>(consumers).map(
      ([consumerId, props]) => [consumerId, this.createListener(consumerId, props)] as const,
    );
    return this.lanes.addShared(id, owners, { name, entry, hotKeys });
  }

  private get lanes(): ServiceLanes {
    const { outbox, alarmTopic, consumers } = this;
    return new ServiceLanes(this, { outbox, alarmTopic, consumers, environment: this.tableEnvironment() });
  }

  /** Types of the sagas that it leads so far. */
  get sagas(): readonly string[] {
    return this.consumers.flatMap(({ saga }) => saga ?? []);
  }

  /**
   * Adds a function that leads sagas. It receives what starts them, the answers to their steps, their timers and operators.
   * @param aggregate type of the saga: `CreateOrderSaga`
   */
  addSaga(id: string, { aggregate, ...props }: ListenerProps & { readonly aggregate: string }): ServiceFunction {
    const { consumer, description } = this.createListener(id, props);
    const { handler } = consumer;
    const { alarmTopic } = this;
    this.consumers.push({ ...description, projection: false, saga: aggregate });
    this.grantEffect(handler, aggregate);
    handler.grantItems(this.table, ['PutItem', 'DeleteItem'], stuckKey(aggregate));
    handler.grantItems(this.table, ['GetItem', 'PutItem'], roundTripKey(aggregate));
    this.addTimers(id, consumer);
    const { settings, service } = this.context;
    alarm(this, 'SagaStuck', {
      metric: serviceMetric(metricsNamespace(settings), service, Metric.SAGAS_STUCK),
      threshold: 1,
      means: 'a saga could not compensate a step, and waits for an operator.',
      severity: 'ticket',
      topic: alarmTopic,
    });
    return handler;
  }

  /**
   * Adds a list of this service's aggregates: the consumer that keeps it, and the function that rebuilds it. Readers of
   * the list need `grantPointer`.
   */
  addProjection(
    id: string,
    { subscribesTo, aggregate, rows, rebuildEntry, ...props }: ProjectionProps,
  ): ServiceFunction {
    const { consumer, description } = this.createListener(id, { ...props, subscribesTo: [subscribesTo] });
    const { handler } = consumer;
    this.grantLoad(handler, aggregate);
    handler.grantItems(this.table, ['PutItem'], rows);
    this.grantPointer(handler);

    const rebuild = new ServiceFunction(this, `Rebuild${id}`, {
      context: this.context,
      entry: rebuildEntry,
      environment: this.tableEnvironment(),
      timeout: REBUILD_TIMEOUT,
    });
    this.grantLoad(rebuild, aggregate);
    rebuild.grantItems(this.table, ['GetItem', 'PutItem', 'DeleteItem'], rows);
    rebuild.grantItems(this.table, ['GetItem', 'UpdateItem'], PROJECTIONS);
    // An aggregate that can't be loaded becomes a failure record of the projection.
    rebuild.grantItems(this.records, ['GetItem', 'PutItem'], recordsPrefix(description.name));
    // A scan has no keys to which a condition could limit it. It is limited to this service's own table.
    rebuild.grantActions(['dynamodb:Scan'], this.table.tableArn, `${this.table.tableArn}/index/${FEED_INDEX}`);
    this.consumers.push({ ...description, projection: true, rebuild: rebuild.function.functionName });
    return rebuild;
  }

  /** Grants a function permission to load an aggregate. @param aggregate type of the aggregate: `Order` */
  grantLoad(handler: ServiceFunction, aggregate: string): void {
    handler.grantItems(this.table, ['Query'], aggregateKeyPrefix(aggregate));
  }

  /** Grants a function permission to load an aggregate and append events, if each of its decisions has events. */
  grantAppend(handler: ServiceFunction, aggregate: string): void {
    handler.grantItems(this.table, ['Query', 'PutItem'], aggregateKeyPrefix(aggregate));
  }

  /** Grants a function permission to load an aggregate and write its decision: events, or a check that nothing changed. */
  grantEffect(handler: ServiceFunction, aggregate: string): void {
    handler.grantItems(this.table, ['Query', 'PutItem', 'ConditionCheckItem'], aggregateKeyPrefix(aggregate));
  }

  /** Grants a function permission to read which version of a projection is current. */
  grantPointer(handler: ServiceFunction): void {
    handler.grantItems(this.table, ['GetItem'], PROJECTIONS);
  }

  /** Grants an endpoint permission to record its answers by the idempotency keys of its clients. */
  grantRequestRecords(handler: ServiceFunction): void {
    handler.grantItems(this.records, ['PutItem', 'GetItem'], API_RECORDS);
  }

  private addTimers(id: string, owner: IdempotentConsumer): void {
    new Timers(this, `${id}Timers`, { owner, alarmTopic: this.alarmTopic });
  }

  private createListener(id: string, props: ListenerProps) {
    const { context, bus, records, alarmTopic } = this;
    return addListener(this, id, { ...props, context, bus, records, alarmTopic, environment: this.tableEnvironment() });
  }

  private tableEnvironment() {
    return {
      [Env.TABLE]: this.table.tableName,
      [Env.RECORDS]: this.records.tableName,
      [Env.FEED_SHARDS]: JSON.stringify(resolveFeedShards(this.context.settings)),
      [Env.EPOCH]: String(resolveEpoch(this.context.settings, this.context.service)),
    };
  }

  /** Describes every function inside this construct, so that none is forgotten. */
  private describeFunctions(): readonly FunctionDescription[] {
    return this.node
      .findAll()
      .filter((construct) => construct instanceof ServiceFunction)
      .map(({ description }) => description);
  }

  /** Returns a fault for each other service of the app that has the same records table. */
  private findSharedRecords(): string[] {
    return this.node.root.node
      .findAll()
      .filter(
        (other) => other instanceof Service && other !== this && other.records.tableName === this.records.tableName,
      )
      .map(({ node }) => `${this.node.path} and ${node.path} share a records table: expected one for each service`);
  }
}
