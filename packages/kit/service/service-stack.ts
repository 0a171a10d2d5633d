import { CfnOutput, Duration, Lazy, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { titleOf } from '../aws/app-names.js';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import type { Route } from '../http/api.construct.js';
import { IdempotentConsumer, MAX_CONCURRENCY } from '../idempotent-consumer/idempotent-consumer.construct.js';
import { keysOf } from '../messages/keys.js';
import { type EventSubscription, isEvents, type Subscription } from '../messages/subscriptions.js';
import { Outbox } from '../outbox/outbox.construct.js';
import { FEED_INDEX, PROJECTIONS } from '../projection/contract.js';
import { stuckKey } from '../saga/contract.js';
import { Timers } from '../timers/timers.construct.js';
import { alarm, serviceMetric } from './alarms.construct.js';
import type { Bundles } from './bundles.js';
import type { AnyBus } from './interfaces.js';
import { metricsNamespace, type ServiceContext, ServiceFunction } from './service-function.construct.js';
import { checkApp, type EnvironmentSettings } from './settings.js';
import { recordsTable } from './tables.construct.js';

export interface EnvironmentStackProps {
  readonly settings: EnvironmentSettings;
  readonly bundles: Pick<Bundles, 'code'>;
}

export interface ServiceStackProps extends EnvironmentStackProps {
  /** Where its events go, and those of others come from. */
  readonly bus: AnyBus;
  readonly alarmTopic: ITopic;
}

/** What the operator's command line is told of a consumer, in the output `Consumers` of its service's stack. */
export interface ConsumerDescription {
  readonly name: string;
  readonly generation: number;
  readonly queueUrl: string;
  /** Whose events it hears, and which. */
  readonly events: readonly { readonly service: string; readonly types: readonly string[] }[];
  /** Whether the commands to its service come to it. */
  readonly takesCommands: boolean;
  /** How long its processed records stay. */
  readonly dedupeWindowSeconds: number;
  /** How long bus and queues keep an event, at most. */
  readonly longestRedeliverySeconds: number;
  /** Keeps no processed records: the version of what it shows tells what it has seen. */
  readonly projection: boolean;
  /** Of a projection: name of the function that rebuilds it. */
  readonly rebuild?: string;
  /** Of one that leads sagas: their type. */
  readonly saga?: string;
}

/** A list that is kept of a service's own aggregates. */
export interface ProjectionProps {
  /** Pinned: its consumer's name, and part of its pointer's key. */
  readonly name: string;
  /** Its consumer. */
  readonly entry: string;
  /** What makes it anew. */
  readonly rebuildEntry: string;
  /** All events of the aggregate. */
  readonly hears: EventSubscription;
  /** Type of its aggregates: `Order`. */
  readonly aggregate: string;
  /** What the partition keys of its rows, and of nothing else, begin with: `CUSTOMER#`. */
  readonly rows: string;
}

/** A call works for a third of it (projection/rebuilder.ts). */
const REBUILD_TIMEOUT = Duration.seconds(30);

/** Of the records table: how changes by a key were answered; sessions, with how their requests were. */
const API_RECORDS = 'api#';
const SESSIONS = 'session#';

interface ListenerProps {
  /** Pinned: it is part of every processed record's key. */
  readonly name: string;
  /** Path below `lambdas/`, without `.lambda.ts`. */
  readonly entry: string;
  readonly hears: readonly Subscription[];
  /** Of one batch. @default as every function's */
  readonly timeout?: Duration;
}

/** Shards of the feed index by the time from which they hold; a new entry is added, an old one never changed. */
const FEED_SHARDS = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];

/**
 * Name and protection of any stack of an environment: `shop-dev-Orders`.
 * @throws {SettingsError} for a malformed name of the application
 */
export function stackProps(settings: EnvironmentSettings, id: string, description: string) {
  checkApp(settings);
  const { app, environment, keepsData } = settings;
  return {
    stackName: `${app.name}-${environment}-${id}`,
    description: `${titleOf(app.name)} (${environment}): ${description}`,
    terminationProtection: keepsData,
  };
}

/**
 * A service: its table with the way to the bus, its idempotency table, and its functions. Nothing outside has a right
 * on either table; others hear its events, and the API calls its functions.
 */
export abstract class ServiceStack extends Stack {
  /** What this service answers to; the Api stack puts it behind the gateway. */
  readonly routes: Route[] = [];
  protected readonly context: ServiceContext;
  protected readonly table: TableV2;
  protected readonly records: TableV2;
  private readonly props: ServiceStackProps;
  private readonly consumers: ConsumerDescription[] = [];

  protected constructor(scope: Construct, id: string, service: string, props: ServiceStackProps) {
    super(scope, id, stackProps(props.settings, id, `service ${service}`));
    const { settings, bundles, bus, alarmTopic } = props;
    this.props = props;
    this.context = { service, settings, bundles };
    this.records = recordsTable(this, 'Records', settings);
    const outbox = new Outbox(this, 'Outbox', { context: this.context, bus, records: this.records, alarmTopic });
    this.table = outbox.table;

    alarm(this, 'FailureRecorded', {
      metric: serviceMetric(metricsNamespace(settings), service, Metric.CONSUMER_FAILURES),
      threshold: 1,
      means: 'a message could not be processed and became a failure record, which waits for an operator.',
      topic: alarmTopic,
    });
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    new CfnOutput(this, 'RecordsName', { value: this.records.tableName });
    new CfnOutput(this, 'ServiceName', { value: service });
    new CfnOutput(this, 'RelayName', { value: outbox.relay.function.functionName });
    // Lazy: the service declares its consumers after this.
    new CfnOutput(this, 'Consumers', { value: Lazy.string({ produce: () => this.toJsonString(this.consumers) }) });
  }

  /** A function behind the API; what it may do with the tables is said by `grantItems` on it. */
  protected endpoint(id: string, method: Route['method'], path: string, entry: string): ServiceFunction {
    const { settings } = this.context;
    const { dedupeWindow, auditRetention } = settings;
    const handler = new ServiceFunction(this, id, {
      context: this.context,
      entry,
      environment: {
        ...this.tables(),
        [Env.DEDUPE_WINDOW_SECONDS]: String(dedupeWindow.toSeconds()),
        ...tokenEnvironment(settings),
      },
      logRetention: auditRetention,
    });
    this.routes.push({ method, path, handler });
    return handler;
  }

  /** Lets a route keep how it answered by its clients' keys. */
  protected grantRequestRecords(handler: ServiceFunction): void {
    handler.grantItems(this.records, ['PutItem', 'GetItem'], API_RECORDS);
  }

  /** The route that opens sessions for this service's numbered requests, and those that take these by their numbers. */
  protected sessions(path: string, takers: readonly ServiceFunction[]): void {
    const openSession = this.endpoint('OpenSession', 'POST', path, 'kit/idempotent-receiver/open-session');
    openSession.grantItems(this.records, ['PutItem'], SESSIONS);
    for (const taker of takers) taker.grantItems(this.records, ['GetItem', 'UpdateItem'], SESSIONS);
    for (const handler of [openSession, ...takers]) handler.setEnvironment(Env.SESSIONS, path);
  }

  /** A function that hears events, and has an effect once for each. */
  protected consumer(id: string, props: ListenerProps): ServiceFunction {
    const { consumer, description } = this.listener(id, props);
    this.consumers.push({ ...description, projection: false });
    return consumer.handler;
  }

  /**
   * A function that leads sagas: it hears what begins them, the answers to their steps, their clocks and operators.
   * @param aggregate its type: `CreateOrderSaga`
   */
  protected saga(id: string, { aggregate, ...props }: ListenerProps & { readonly aggregate: string }): ServiceFunction {
    const { consumer, description } = this.listener(id, props);
    const { handler } = consumer;
    const { alarmTopic } = this.props;
    this.consumers.push({ ...description, projection: false, saga: aggregate });
    this.grantEffect(handler, aggregate);
    handler.grantItems(this.table, ['PutItem', 'DeleteItem'], stuckKey(aggregate));
    new Timers(this, `${id}Timers`, { owner: consumer, alarmTopic });
    const { settings, service } = this.context;
    alarm(this, 'SagaStuck', {
      metric: serviceMetric(metricsNamespace(settings), service, Metric.SAGAS_STUCK),
      threshold: 1,
      means: 'what a saga did could not be undone; it waits for an operator.',
      topic: alarmTopic,
    });
    return handler;
  }

  /**
   * A list of this service's aggregates: the consumer that keeps it, and the function that makes it anew beside itself.
   * Whoever reads it is given its pointer by `grantPointer`.
   */
  protected projection(id: string, { hears, aggregate, rows, rebuildEntry, ...props }: ProjectionProps): void {
    const { consumer, description } = this.listener(id, { ...props, hears: [hears] });
    const { handler } = consumer;
    this.grantLoad(handler, aggregate);
    handler.grantItems(this.table, ['PutItem'], rows);
    this.grantPointer(handler);

    const rebuild = new ServiceFunction(this, `Rebuild${id}`, {
      context: this.context,
      entry: rebuildEntry,
      environment: this.tables(),
      timeout: REBUILD_TIMEOUT,
    });
    this.grantLoad(rebuild, aggregate);
    rebuild.grantItems(this.table, ['GetItem', 'PutItem', 'DeleteItem'], rows);
    rebuild.grantItems(this.table, ['GetItem', 'UpdateItem'], PROJECTIONS);
    // A scan has no keys that it could be held to; it is of this service's own table.
    rebuild.allow(['dynamodb:Scan'], this.table.tableArn, `${this.table.tableArn}/index/${FEED_INDEX}`);
    this.consumers.push({ ...description, projection: true, rebuild: rebuild.function.functionName });
  }

  /** Lets a function load an aggregate. @param aggregate type of the aggregate: `Order` */
  protected grantLoad(handler: ServiceFunction, aggregate: string): void {
    handler.grantItems(this.table, ['Query'], keysOf(aggregate));
  }

  /** Lets a function load an aggregate and append events, where each of its decisions has some. */
  protected grantAppend(handler: ServiceFunction, aggregate: string): void {
    handler.grantItems(this.table, ['Query', 'PutItem'], keysOf(aggregate));
  }

  /** Lets a function load an aggregate and write what it decides: events, or the check that nothing changed. */
  protected grantEffect(handler: ServiceFunction, aggregate: string): void {
    handler.grantItems(this.table, ['Query', 'PutItem', 'ConditionCheckItem'], keysOf(aggregate));
  }

  /** To read which version of a list is read. */
  protected grantPointer(handler: ServiceFunction): void {
    handler.grantItems(this.table, ['GetItem'], PROJECTIONS);
  }

  private listener(id: string, { name, entry, hears, timeout }: ListenerProps) {
    const { bus, alarmTopic } = this.props;
    const handler = new ServiceFunction(this, `On${id}`, {
      context: this.context,
      entry,
      environment: this.tables(),
      reservedConcurrency: MAX_CONCURRENCY,
      ...(timeout === undefined ? {} : { timeout }),
    });
    const { records } = this;
    const consumer = new IdempotentConsumer(this, id, { name, bus, hears, handler, records, alarmTopic });
    const { queue, deadLetters, generation, dedupeWindow, longestRedelivery } = consumer;
    new CfnOutput(this, `${id}QueueUrl`, { value: queue.queueUrl });
    new CfnOutput(this, `${id}DeadLettersUrl`, { value: deadLetters.queueUrl });
    const description = {
      name,
      generation,
      queueUrl: queue.queueUrl,
      events: hears.filter(isEvents).map(({ contract, types }) => ({ service: contract.service, types })),
      takesCommands: !hears.every(isEvents),
      dedupeWindowSeconds: dedupeWindow.toSeconds(),
      longestRedeliverySeconds: longestRedelivery.toSeconds(),
    };
    return { consumer, description };
  }

  private tables() {
    return {
      [Env.TABLE]: this.table.tableName,
      [Env.RECORDS]: this.records.tableName,
      [Env.FEED_SHARDS]: JSON.stringify(FEED_SHARDS),
    };
  }
}

/** What a function needs to verify a token. */
export const tokenEnvironment = ({ app, auth }: EnvironmentSettings) => ({
  [Env.JWT_ISSUER]: auth.issuer,
  [Env.JWT_AUDIENCE]: auth.audience,
  [Env.JWT_ROLE_CLAIM]: auth.roleClaim,
  [Env.ROLES]: JSON.stringify(app.roles),
  [Env.OPERATOR_ROLES]: JSON.stringify(app.operatorRoles),
  [Env.JWT_MAX_LIFETIME]: String(auth.maxTokenLifetime.toSeconds()),
  ...(auth.jwks !== undefined && { [Env.JWT_JWKS]: auth.jwks }),
  ...(auth.jwksUri !== undefined && { [Env.JWT_JWKS_URI]: auth.jwksUri }),
});
