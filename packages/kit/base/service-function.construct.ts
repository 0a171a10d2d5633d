import { Annotations, Duration, Tags, Validations } from 'aws-cdk-lib';
import { type Conditions, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { TracesEnv } from '../aws/traces-names.js';
import type { Bundles } from './bundles.js';
import { checkLimits } from './check-limits.js';
import { reservesConcurrency } from './concurrency.js';
import { findEnvironmentErrors } from './environment-size.js';
import { functionLogs } from './function-logs.construct.js';
import { memoryOf } from './function-memory.js';
import { InlineRole } from './inline-role.construct.js';
import type { AnyTable } from './interfaces.js';
import type { FunctionKind } from './memory-settings.js';
import { metricsNamespace } from './metrics-namespace.js';
import type { FunctionDescription } from './outputs.js';
import { checkCanary, checkFailureTexts, checkTraces, type EnvironmentSettings } from './settings.js';
import { subscribeToSpans } from './span-subscription.js';

/** Context that all functions of one service share. */
export interface ServiceContext {
  /** Name of the service in logs, metrics and envelopes: `orders`. */
  readonly service: string;
  readonly settings: EnvironmentSettings;
  readonly bundles: Pick<Bundles, 'code'> & Partial<Pick<Bundles, 'traces'>>;
}

export interface ServiceFunctionProps {
  readonly context: ServiceContext;
  /** Name of its entry point in `Bundles`: `orders/place-order`. */
  readonly entry: string;
  /** Kind of its work, which decides its memory (`memory-settings.ts`). @default 'job' */
  readonly kind?: FunctionKind;
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Timeout of an invocation. API Gateway waits for 29 seconds at most, and most clients wait for less.
   * @default Duration.seconds(10)
   */
  readonly timeout?: Duration;
  /**
   * Reserved concurrency, which is also the maximum. It applies in environments that reserve concurrency.
   * @default none: the function shares the unreserved concurrency
   */
  readonly reservedConcurrency?: number;
  /**
   * Construct id of its role. A role that is deployed with over 5 KB of permissions in a resource of their own needs a new one: during
   * the update it would have them twice, which is more than IAM takes.
   * @default 'Role'
   */
  readonly roleId?: string;
  /** Queue of the events of asynchronous invocations that failed three times. @default none: they are dropped */
  readonly deadLetterQueue?: Queue;
  /** Whether its log names operators, and so is kept for `auditRetention` of the settings. @default false: for `logRetention` */
  readonly audited?: boolean;
  /** Whether it may write spans of traces. The exporter would export its own for ever. @default true */
  readonly writesSpans?: boolean;
  /** Physical name. @default one that CloudFormation makes */
  readonly functionName?: string;
}

/** DynamoDB action on items. A transaction needs the actions of its parts. */
export type ItemAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'BatchWriteItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem';

/** Returns the condition by which a request to DynamoDB must name its keys, each with one of these prefixes. */
export const leadingKeys = (prefixes: readonly string[]): Conditions => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': prefixes.map((prefix) => `${prefix}*`) },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

/**
 * Lambda function of a service: arm64, a current Node, the log of its stack ({@link functionLogs}), and a role of its own.
 *
 * Its role may only write to that log. `allow` and the `grant` methods add permissions: no AWS-managed policy, no wildcard. Synth
 * refuses environment variables of more than 4,096 bytes in all, which Lambda would refuse at the deployment.
 */
export class ServiceFunction extends Construct {
  readonly context: ServiceContext;
  readonly timeout: Duration;
  readonly reservedConcurrency: number | undefined;
  readonly function: LambdaFunction;
  private readonly entry: string;
  private readonly role: Role;
  private consumer: string | undefined;

  /** @throws {SettingsError} for settings with which its records and logs would keep data of people */
  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const {
      context,
      entry,
      kind = 'job',
      environment = {},
      timeout = Duration.seconds(10),
      reservedConcurrency,
    } = props;
    const { service, settings, bundles } = context;
    checkFailureTexts(settings);
    checkCanary(settings);
    checkTraces(settings);
    checkLimits(this);
    this.context = context;
    this.entry = entry;
    this.consumer = environment[Env.CONSUMER];
    this.timeout = timeout;
    this.reservedConcurrency = reservedConcurrency;

    const logs = functionLogs(this, { settings, audited: props.audited ?? false });
    this.role = new InlineRole(this, props.roleId ?? 'Role');
    this.grantActions(['logs:CreateLogStream', 'logs:PutLogEvents'], logs.logGroupArn);
    this.function = new LambdaFunction(this, 'Function', {
      code: bundles.code(entry),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      role: this.role,
      logGroup: logs,
      // Lambda's own lines of an invocation only if it failed: by a timeout, a crash or an exit. They are more than half of the log
      // ("Log-level filtering", system log event level mapping), and metrics have the durations. Application lines pass as they are:
      // lines of metrics have no level, and count as INFO.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      applicationLogLevelV2: ApplicationLogLevel[settings.logLevel],
      timeout,
      ...(props.deadLetterQueue && { deadLetterQueue: props.deadLetterQueue }),
      memorySize: memoryOf(kind, settings),
      tracing: Tracing.DISABLED,
      ...(props.functionName !== undefined && { functionName: props.functionName }),
      ...(reservedConcurrency !== undefined &&
        reservesConcurrency(settings) && { reservedConcurrentExecutions: reservedConcurrency }),
      environment: {
        [Env.APP]: settings.app.name,
        [Env.SERVICE]: service,
        [Env.ENVIRONMENT]: settings.environment,
        ...(settings.traces?.share !== undefined && { [TracesEnv.SHARE]: String(settings.traces.share) }),
        ...(settings.failureTexts === 'full' && { [Env.FAILURE_TEXTS]: 'full' }),
        POWERTOOLS_SERVICE_NAME: service,
        POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(settings),
        POWERTOOLS_LOG_LEVEL: settings.logLevel,
        ...environment,
      },
    });

    if (settings.traces && props.writesSpans !== false) subscribeToSpans(logs, settings, bundles);

    this.node.addValidation({ validate: () => findEnvironmentErrors(this.function) });
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaTracing',
      reason:
        'A trace here passes a table, its stream, a bus and a queue; X-Ray loses it at the stream. The W3C traceparent in each commit and envelope goes all the way, and needs no permission on every resource (xray:Put* accepts no narrower one).',
    });
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason:
        "A function's own dead-letter queue serves asynchronous invocations. API functions are called synchronously, consumers by a queue with a dead-letter queue, relays by a stream with an on-failure bucket; of those that are called asynchronously, one has such a queue, and the ticks of the others contain no data.",
    });
  }

  /** Allows exact actions on exact resources. */
  grantActions(actions: string[], ...resources: string[]): void {
    this.role.addToPolicy(new PolicyStatement({ actions, resources }));
  }

  /** Allows exact actions on exact resources, if the request meets the conditions (by operator, then by key). */
  grantActionsWhere(conditions: Conditions, actions: string[], ...resources: string[]): void {
    this.role.addToPolicy(new PolicyStatement({ actions, resources, conditions }));
  }

  /**
   * Grants actions on the items whose partition key has one of these prefixes (`Order#`, `orders-saga@`).
   *
   * The condition uses `ForAllValues` because its key is a list. IAM evaluates each part of a transaction separately. It uses
   * `Null` because `ForAllValues` is true for a request that names no key at all. In an index, the leading key is the index's
   * own.
   */
  grantItems(table: AnyTable, actions: readonly ItemAction[], ...keyPrefixes: string[]): void {
    this.checkEncryption(table);
    this.grantKeys(table.tableArn, actions, keyPrefixes);
  }

  /** Grants queries of one index, on the partitions whose key has one of these prefixes. */
  grantIndex(table: AnyTable, indexName: string, ...keyPrefixes: string[]): void {
    this.checkEncryption(table);
    this.grantKeys(`${table.tableArn}/index/${indexName}`, ['Query'], keyPrefixes);
  }

  /**
   * Refuses a table with a customer-managed KMS key. DynamoDB uses such a key with the caller's permissions, so the function
   * would fail at its first request.
   */
  private checkEncryption(table: AnyTable): void {
    if (table.encryptionKey === undefined) return;
    Annotations.of(this).addError(
      `table ${table.node.path} is encrypted by a KMS key of its own, on which this function has no permission: expected DynamoDB's own key, or AWS's`,
    );
  }

  private grantKeys(resource: string, actions: readonly ItemAction[], keyPrefixes: readonly string[]): void {
    this.role.addToPolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [resource],
        conditions: leadingKeys(keyPrefixes),
      }),
    );
  }

  /** Tags the role, for resource policies with a condition on the caller (`aws:PrincipalTag`). */
  tagRole(name: string, value: string): void {
    Tags.of(this.role).add(name, value);
  }

  /** Sets an environment variable after construction, for example the URL of a queue that is created later. */
  setEnvironment(name: string, value: string): void {
    this.function.addEnvironment(name, value);
    if (name === Env.CONSUMER) this.consumer = value;
  }

  /** Description for the output `Functions`. Read it once all environment variables are set. */
  get description(): FunctionDescription {
    const { consumer } = this;
    return {
      service: this.context.service,
      entry: this.entry,
      name: this.function.functionName,
      ...(consumer === undefined ? {} : { consumer }),
    };
  }
}

/** Rules of the compliance packs that no function, role or log follows, with the reasons. */
export const FUNCTION_ACKNOWLEDGEMENTS = {
  CloudWatchLogGroupEncrypted:
    'CloudWatch encrypts each log group with a key of its own. Logs hold no personal data and no id of a caller, so a customer-managed key protects nothing more. It would cost a dollar a month, and its loss would be the loss of the logs.',
  IAMNoInlinePolicy:
    'Each role has one policy, generated for its one function, and both are deleted together. A managed policy could be attached to another role.',
  LambdaConcurrency:
    'Consumers, relays, the sweeper and the authorizer reserve concurrency in environments that keep data. A reservation takes concurrency from all other functions, and the throttle of the stage limits the requests to them.',
  LambdaDLQ:
    'As for Serverless-LambdaDLQ: a function has a dead-letter queue, a tick without data or a caller that waits, by how it is called.',
  LambdaInsideVPC:
    'The functions use public endpoints of AWS (and those of a provider, if an app has one) with signed requests over TLS, and no resource is inside a VPC. A VPC would need NAT gateways or an endpoint for each service, and would protect no resource.',
};
