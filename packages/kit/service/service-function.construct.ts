import { Annotations, Duration, RemovalPolicy, Tags, Validations } from 'aws-cdk-lib';
import { type Conditions, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { titleOf } from '../aws/app-names.js';
import { Env } from '../aws/environment.js';
import type { Bundles } from './bundles.js';
import type { AnyTable } from './interfaces.js';
import type { EnvironmentSettings } from './settings.js';

/** What the functions of one service have in common. */
export interface ServiceContext {
  /** `orders`: the service's name in logs, metrics and the envelope. */
  readonly service: string;
  readonly settings: EnvironmentSettings;
  readonly bundles: Pick<Bundles, 'code'>;
}

export interface ServiceFunctionProps {
  readonly context: ServiceContext;
  /** Name of its entry point, as `Bundles` names it: `orders/place-order`. */
  readonly entry: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** @default Duration.seconds(10): API Gateway gives up after 29, and a client long before */
  readonly timeout?: Duration;
  /**
   * Executions at once that are kept for it alone, and that it never exceeds, in environments that reserve any.
   * @default none: it shares what others left
   */
  readonly reservedConcurrency?: number;
  /** How long its log is kept. @default as the settings say of logs */
  readonly logRetention?: RetentionDays;
}

/** CPU grows with it: below, a cold start is bound by CPU. */
const MEMORY_MB = 512;

/** The item actions of a table; a transaction is allowed by the actions of its parts. */
export type ItemAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem';

/**
 * A function of a service: arm64, current Node, a log group with an end, and a role of its own that may do nothing but
 * write that log until it is told what else. What it is told is here: no policy of AWS's, no wildcard.
 */
export class ServiceFunction extends Construct {
  readonly context: ServiceContext;
  readonly timeout: Duration;
  readonly reservedConcurrency: number | undefined;
  readonly function: LambdaFunction;
  private readonly role: Role;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { context, entry, environment = {}, timeout = Duration.seconds(10), reservedConcurrency } = props;
    const { service, settings, bundles } = context;
    this.context = context;
    this.timeout = timeout;
    this.reservedConcurrency = reservedConcurrency;

    const logs = new LogGroup(this, 'Logs', {
      retention: props.logRetention ?? settings.logRetention,
      removalPolicy: settings.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logs.logGroupArn);
    this.function = new LambdaFunction(this, 'Function', {
      code: bundles.code(entry),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      role: this.role,
      logGroup: logs,
      timeout,
      memorySize: MEMORY_MB,
      tracing: Tracing.DISABLED,
      ...(reservedConcurrency !== undefined &&
        settings.concurrency !== false && { reservedConcurrentExecutions: reservedConcurrency }),
      environment: {
        [Env.APP]: settings.app.name,
        [Env.SERVICE]: service,
        [Env.ENVIRONMENT]: settings.environment,
        POWERTOOLS_SERVICE_NAME: service,
        POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(settings),
        POWERTOOLS_LOG_LEVEL: settings.logLevel,
        ...environment,
      },
    });

    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaTracing',
      reason:
        'A trace here passes a table, its stream, a bus and a queue; X-Ray loses it at the stream. The W3C traceparent in each commit and envelope goes all the way, and needs no right on every resource (xray:Put* allows no narrower one).',
    });
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason:
        "A function's own dead-letter queue serves asynchronous invocations. API functions are called synchronously, consumers by a queue with a dead-letter queue, relays by a stream with an on-failure bucket; of those that are called asynchronously, one has an on-failure destination, and the ticks of the other have nothing in them to keep.",
    });
  }

  /** Exact actions on exact resources, on top of the function's own log. */
  allow(actions: string[], ...resources: string[]): void {
    this.role.addToPolicy(new PolicyStatement({ actions, resources }));
  }

  /** The same, as long as the request fulfils the conditions (by operator, then by key). */
  allowWhere(conditions: Conditions, actions: string[], ...resources: string[]): void {
    this.role.addToPolicy(new PolicyStatement({ actions, resources, conditions }));
  }

  /**
   * Actions on a table's items, and only on those whose partition key begins as said (`Order#`, `orders-saga@`).
   *
   * `ForAllValues` because the condition's key is a list; each part of a transaction is judged by itself. `Null` because
   * `ForAllValues` is true where a request names no key at all. In an index, the leading key is the index's own.
   */
  grantItems(table: AnyTable, actions: readonly ItemAction[], ...keyPrefixes: string[]): void {
    this.checkEncryption(table);
    this.allowKeys(table.tableArn, actions, keyPrefixes);
  }

  /** Queries of one index, and only of those of its partitions whose key begins as said. */
  grantIndex(table: AnyTable, indexName: string, ...keyPrefixes: string[]): void {
    this.checkEncryption(table);
    this.allowKeys(`${table.tableArn}/index/${indexName}`, ['Query'], keyPrefixes);
  }

  /** DynamoDB reads such a table by its caller's right on the key, and the caller finds that out at its first request. */
  private checkEncryption(table: AnyTable): void {
    if (table.encryptionKey === undefined) return;
    Annotations.of(this).addError(
      `table ${table.node.path} is encrypted by a KMS key of its own, on which this function has no right: expected DynamoDB's own key, or AWS's`,
    );
  }

  private allowKeys(resource: string, actions: readonly ItemAction[], keyPrefixes: readonly string[]): void {
    this.role.addToPolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [resource],
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keyPrefixes.map((prefix) => `${prefix}*`) },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    );
  }

  /** Tags the role, for policies of resources that ask who calls (`aws:PrincipalTag`). */
  tagRole(name: string, value: string): void {
    Tags.of(this.role).add(name, value);
  }

  /** Sets an environment variable that is known only later: the name of a consumer, the address of its queue. */
  setEnvironment(name: string, value: string): void {
    this.function.addEnvironment(name, value);
  }
}

/** What the compliance packs ask of every function, its role and its log, and why it isn't so. */
export const OF_EVERY_FUNCTION = {
  CloudWatchLogGroupEncrypted:
    'CloudWatch encrypts each log group with a key of its own. Logs hold no personal data and no id of a caller, so a key of ours, at a dollar a month and with its own ways to lose logs, guards nothing more.',
  IAMNoInlinePolicy:
    'Each role has one policy, generated for its one function, and both go together. A managed policy could be attached to somebody else.',
  LambdaConcurrency:
    'Consumers, relays, the sweeper and the authorizer reserve theirs where data is kept. What is reserved for one function is taken from all others, and the stage throttles what clients may ask of the rest.',
  LambdaDLQ:
    'As for Serverless-LambdaDLQ: a function has a dead-letter queue, an on-failure destination or a caller that waits, by how it is called.',
  LambdaInsideVPC:
    'The functions use public endpoints of AWS (and those of a provider, if an app has one) with signed requests over TLS, and no resource is inside a VPC. A VPC would need NAT gateways or an endpoint for each service, and would guard no resource.',
};

/** Metrics of two environments in one account are kept apart by their namespace. */
export const metricsNamespace = ({ app, environment }: EnvironmentSettings): string =>
  `${titleOf(app.name)}/${environment}`;
