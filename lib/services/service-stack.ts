import { CfnOutput, Lazy, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { Env } from '../../lambdas/platform/environment.js';
import { alarm, serviceMetric } from '../constructs/alarms.js';
import type { Bundles } from '../constructs/bundles.js';
import {
  type CommandSubscription,
  IdempotentConsumer,
  isEvents,
  type Subscription,
} from '../constructs/idempotent-consumer.js';
import type { Route } from '../constructs/order-api.js';
import { Outbox } from '../constructs/outbox.js';
import { metricsNamespace, type ServiceContext, ServiceFunction } from '../constructs/service-function.js';
import { recordsTable } from '../constructs/tables.js';
import type { Settings } from '../settings.js';

export interface OrderlyStackProps {
  readonly settings: Settings;
  readonly bundles: Pick<Bundles, 'code'>;
}

export interface ServiceStackProps extends OrderlyStackProps {
  readonly bus: EventBus;
  readonly alarmTopic: ITopic;
}

/** What the operator's command line is told of a consumer, in the output `Consumers` of its service's stack. */
export interface ConsumerDescription {
  readonly name: string;
  readonly generation: number;
  readonly queueUrl: string;
  /** Whose events it hears, and which. */
  readonly events: readonly { readonly service: string; readonly types: readonly string[] }[];
  /** How long its processed records stay. */
  readonly dedupeWindowSeconds: number;
  /** How long bus and queues keep an event, at most. */
  readonly longestRedeliverySeconds: number;
  /** Keeps no processed records: the version of what it shows tells what it has seen. */
  readonly projection: boolean;
}

/** Shards of the feed index by the time from which they hold; a new entry is added, an old one never changed. */
const FEED_SHARDS = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];

/** Name and protection of any stack of an environment: `orderly-dev-Orders`. */
export const stackProps = ({ environment, keepsData }: Settings, id: string, description: string) => ({
  stackName: `orderly-${environment}-${id}`,
  description: `Orderly (${environment}): ${description}`,
  terminationProtection: keepsData,
});

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
      metric: serviceMetric(metricsNamespace(settings), service, 'ConsumerFailures'),
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

  /** A function behind the API; what it may do with the tables is said by `allowItems` on it. */
  protected endpoint(id: string, method: Route['method'], path: string, entry: string): ServiceFunction {
    const { auth, dedupeWindow } = this.context.settings;
    const handler = new ServiceFunction(this, id, {
      context: this.context,
      entry,
      environment: {
        ...this.tables(),
        [Env.DEDUPE_WINDOW_SECONDS]: String(dedupeWindow.toSeconds()),
        ...tokenEnvironment(auth),
      },
    });
    this.routes.push({ method, path, handler });
    return handler;
  }

  /** A function that hears events. `projection`: it writes what is guarded by a version, and keeps no processed records. */
  protected consumer(
    id: string,
    {
      name,
      entry,
      events,
      projection = false,
    }: {
      name: string;
      entry: string;
      events: readonly (Subscription | CommandSubscription)[];
      projection?: boolean;
    },
  ): ServiceFunction {
    const { bus, alarmTopic } = this.props;
    const handler = new ServiceFunction(this, `On${id}`, {
      context: this.context,
      entry,
      environment: this.tables(),
    });
    const { queue, deadLetters, generation, dedupeWindow, longestRedelivery } = new IdempotentConsumer(this, id, {
      name,
      bus,
      events,
      handler,
      records: this.records,
      alarmTopic,
    });
    new CfnOutput(this, `${id}QueueUrl`, { value: queue.queueUrl });
    new CfnOutput(this, `${id}DeadLettersUrl`, { value: deadLetters.queueUrl });
    this.consumers.push({
      name,
      generation,
      queueUrl: queue.queueUrl,
      events: events.filter(isEvents).map(({ contract, types }) => ({ service: contract.service, types })),
      dedupeWindowSeconds: dedupeWindow.toSeconds(),
      longestRedeliverySeconds: longestRedelivery.toSeconds(),
      projection,
    });
    return handler;
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
export const tokenEnvironment = ({ issuer, audience, roleClaim, jwks, jwksUri }: Settings['auth']) => ({
  [Env.JWT_ISSUER]: issuer,
  [Env.JWT_AUDIENCE]: audience,
  [Env.JWT_ROLE_CLAIM]: roleClaim,
  ...(jwks !== undefined && { [Env.JWT_JWKS]: jwks }),
  ...(jwksUri !== undefined && { [Env.JWT_JWKS_URI]: jwksUri }),
});
