import { DUE_INDEX, FAILED_INDEX, FEED_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import type { Bundles } from '@orderly/kit/internal/base/bundles.js';
import { corsEnvironment } from '@orderly/kit/internal/base/cors-settings.js';
import { addPinnedOutput } from '@orderly/kit/internal/base/logical-ids.js';
import { AUDIT_PREFIX, Output } from '@orderly/kit/internal/base/outputs.js';
import { setRunbook } from '@orderly/kit/internal/base/runbook.js';
import { leadingKeys, ServiceFunction } from '@orderly/kit/internal/base/service-function.construct.js';
import { checkApp, type EnvironmentSettings, SettingsError } from '@orderly/kit/internal/base/settings.js';
import { tokenEnvironment } from '@orderly/kit/internal/base/token-environment.js';
import type { Route } from '@orderly/kit/internal/http/api.construct.js';
import { aggregateKeyPrefix } from '@orderly/kit/internal/messages/keys.js';
import { PROJECTIONS } from '@orderly/kit/internal/projection/contract.js';
import { STUCK } from '@orderly/kit/internal/saga/contract.js';
import type { Service } from '@orderly/kit/internal/service/service.construct.js';
import { Duration, Lazy, Stack, Validations } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { AUDIT_KEYS } from '../auditor/contract.js';
import { PAUSES } from '../consumers/pauses.js';
import {
  findIndistinctStack,
  grantInStacks,
  listStackNames,
  namePattern,
  type StackPermission,
} from '../deployment/stack-permissions.construct.js';
import { CAUSE_NOTES } from '../groups/cause-notes.js';
import { OperatorApiEnv } from './contract.js';

export interface OperatorApiProps {
  readonly settings: EnvironmentSettings;
  readonly bundles: Pick<Bundles, 'code'>;
  /** Services that operators ask about. */
  readonly services: readonly Service[];
  /**
   * Names of the environment's other stacks, whose alarms and outputs count too: those of the API, of the delivery audit and of
   * the platform. One that is not deployed when a request comes is left out, and the status names it.
   * @default none
   */
  readonly otherStacks?: readonly string[];
  /**
   * Requests per second to each route, and the burst above that rate. Each request asks CloudFormation once for each stack, and
   * an audit may read megabytes.
   * @default 10 and 50
   */
  readonly throttle?: EnvironmentSettings['throttle'];
}

/** Service in the functions' logs and metrics. */
const NAME = 'operations';
/** Time for which API Gateway waits. */
const TIMEOUT = Duration.seconds(29);
/** Why permissions name resources by the beginnings of their names. */
const WHY_BY_NAME =
  'An operator asks about every service, also about what is deployed after this stack. A reference to each resource would tie all stacks together: no consumer could be removed before the API of operators.';
/** Why some actions of a status and of an audit have no resource. */
const WHY_ALL =
  'sqs:ListQueues, cloudwatch:GetMetricData, cloudwatch:DescribeAlarms, logs:DescribeLogGroups and logs:GetQueryResults are granted for all resources or for none that IAM can name. They read names, counts, alarms and the results of queries that need a permission of their own, and no message.';

/**
 * Functions behind the API that answer what an operator asks: whether the system is healthy, what has failed and what to do
 * about it, whether anything was lost, and what operators did. They only read: none of them may write an item, send a message
 * or use a key of people's data. One exception is not a matter of permissions: an audit asks the rebuild functions of
 * projections which versions they show, and IAM can't tell this question from a rebuild.
 *
 * The answers are the JSON objects of the command line. A route's entry point makes its answer by `answerStatus`,
 * `answerFailureGroups`, `answerAudit` or `answerAuditLog` of `@orderly/operator`.
 * @example
 * const operator = new OperatorApi(stack, 'Default', { settings, bundles, services: [board], otherStacks: ['shop-dev-Api'] });
 * operator.addStatus('GetStatus', routes.getStatus, 'operations/get-status');
 * new Api(api, 'Api', { settings, bundles, alarmTopic, services: [board, operator] });
 */
export class OperatorApi extends Construct {
  /** Endpoints, for `Api`. */
  readonly routes: Route[] = [];
  private readonly props: OperatorApiProps;
  private readonly stacks: readonly string[];
  /** Stacks of the services. */
  private readonly services: readonly string[];
  /** Beginning of the names of all stacks of the environment. */
  private readonly prefix: string;

  /** @throws {SettingsError} for no services, and for a stack whose name does not begin with the application and the environment */
  constructor(scope: Construct, id: string, props: OperatorApiProps) {
    super(scope, id);
    const { settings, services, otherStacks = [] } = props;
    checkApp(settings);
    if (services.length === 0) throw new SettingsError('OperatorApi: there are no services: expected at least one');
    setRunbook(this, settings);
    this.props = props;
    this.services = listStackNames(services);
    this.stacks = [...new Set([...this.services, ...otherStacks])];
    this.prefix = `${settings.app.name}-${settings.environment}-`;
    const other = this.stacks.find((name) => !name.startsWith(this.prefix));
    if (other !== undefined)
      throw new SettingsError(`OperatorApi: stack ${other}: expected a name that begins with ${this.prefix}`);
    const unclear = findIndistinctStack(this.services, otherStacks, this.prefix);
    if (unclear !== undefined)
      throw new SettingsError(
        `OperatorApi: stack ${unclear}: its resources can't be told from those of other stacks by the beginning of their names: expected a shorter name of the application or the environment`,
      );
    addPinnedOutput(this, Output.OPERATED_STACKS, JSON.stringify(this.stacks));
    const functions = () => this.routes.map(({ handler }) => handler.description);
    addPinnedOutput(this, Output.FUNCTIONS, Lazy.string({ produce: () => Stack.of(this).toJsonString(functions()) }));
  }

  /**
   * Adds the route of the status. Its function may also read the commits of the services, for what the application adds.
   * @param entry entry point, with `answerStatus`
   */
  addStatus(id: string, route: Pick<Route, 'method' | 'path'>, entry: string): void {
    const handler = this.endpoint(id, route, entry);
    this.allowIndexes(handler, FAILED_INDEX, DUE_INDEX, FEED_INDEX);
    this.allowRecords(handler);
    this.allowKeys(handler, ['Query'], STUCK, AUDIT_KEYS, PAUSES);
    this.allow(handler, { actions: ['sqs:GetQueueAttributes'], service: 'sqs', resource: namePattern });
    const groups = (prefix: string) => `log-group:${namePattern(prefix)}`;
    this.allow(handler, { actions: ['logs:FilterLogEvents'], service: 'logs', resource: groups });
    handler.grantActions(
      ['sqs:ListQueues', 'cloudwatch:GetMetricData', 'cloudwatch:DescribeAlarms', 'logs:DescribeLogGroups'],
      '*',
    );
    Validations.of(handler).acknowledge({ id: 'AwsSolutions-IAM5[Resource::*]', reason: WHY_ALL });
    Validations.of(handler).acknowledge({ id: 'Serverless-LambdaStarPermissions', reason: WHY_ALL });
  }

  /**
   * Adds the route of the failure groups. Its function may also read the sagas that the services have so far, since stuck ones
   * are groups, what operators have noted of causes, and commits and records by their keys, for the customers.
   * @param entry entry point, with `answerFailureGroups`
   */
  addFailures(id: string, route: Pick<Route, 'method' | 'path'>, entry: string): void {
    const handler = this.endpoint(id, route, entry);
    this.allowIndexes(handler, FAILED_INDEX);
    this.allowRecords(handler);
    this.allowKeys(
      handler,
      ['Query'],
      STUCK,
      CAUSE_NOTES,
      ...this.props.services.flatMap(({ sagas }) => sagas.map(aggregateKeyPrefix)),
    );
  }

  /**
   * Adds the route of the delivery audit.
   * @param entry entry point, with `answerAudit`
   * @param aggregates types of the aggregates that can be audited alone, and of those that `answerAudit` checks for what was done
   * twice: `Order`
   */
  addAudit(id: string, route: Pick<Route, 'method' | 'path'>, entry: string, aggregates: readonly string[] = []): void {
    const handler = this.endpoint(id, route, entry);
    this.allowIndexes(handler, FEED_INDEX);
    this.allowRecords(handler);
    this.allowKeys(handler, ['Query'], AUDIT_KEYS);
    if (aggregates.length > 0) this.allowKeys(handler, ['Query'], ...aggregates.map(aggregateKeyPrefix));
    this.allow(handler, { actions: ['sqs:GetQueueAttributes'], service: 'sqs', resource: namePattern });
    // `Service.projection` names its functions so. CloudFormation keeps the first 24 characters of a logical id.
    const rebuilders = (prefix: string) => `function:${namePattern(prefix)}Rebuild*`;
    this.allow(handler, { actions: ['lambda:InvokeFunction'], service: 'lambda', resource: rebuilders });
    handler.grantActions(['cloudwatch:GetMetricData'], '*');
    Validations.of(handler).acknowledge({ id: 'AwsSolutions-IAM5[Resource::*]', reason: WHY_ALL });
    Validations.of(handler).acknowledge({ id: 'Serverless-LambdaStarPermissions', reason: WHY_ALL });
  }

  /**
   * Adds a route that reads everything about some aggregates: their commits, what became of their messages, by the metrics of the
   * relays whether a message is published, and by the logs of the environment how often each message came.
   * @param aggregates types of the aggregates: `Order`
   * @param lists prefixes of the rows of lists that show them
   */
  addTrace(
    id: string,
    route: Pick<Route, 'method' | 'path'>,
    entry: string,
    { aggregates, lists }: { readonly aggregates: readonly string[]; readonly lists: readonly string[] },
  ): void {
    const handler = this.endpoint(id, route, entry);
    this.allowIndexes(handler, FEED_INDEX);
    this.allowRecords(handler);
    this.allowKeys(handler, ['Query'], ...aggregates.map(aggregateKeyPrefix));
    this.allowKeys(handler, ['GetItem'], PROJECTIONS, ...lists);
    this.allow(handler, { actions: ['logs:StartQuery'], service: 'logs', resource: logGroupPattern });
    handler.grantActions(['cloudwatch:GetMetricData', 'logs:DescribeLogGroups', 'logs:GetQueryResults'], '*');
    Validations.of(handler).acknowledge({ id: 'AwsSolutions-IAM5[Resource::*]', reason: WHY_ALL });
    Validations.of(handler).acknowledge({ id: 'Serverless-LambdaStarPermissions', reason: WHY_ALL });
  }

  /**
   * Adds a route that lists aggregates by an index over the rows of a projection. Its function may also read the keys of the feed, and
   * everything about the aggregates that it lists.
   * @param indexes names of the indexes
   * @param aggregates types of the aggregates, and of their sagas: `Order`
   * @param lists prefixes of the rows
   */
  addList(
    id: string,
    route: Pick<Route, 'method' | 'path'>,
    entry: string,
    what: {
      readonly indexes: readonly string[];
      readonly aggregates: readonly string[];
      readonly lists: readonly string[];
    },
  ): void {
    const handler = this.endpoint(id, route, entry);
    this.allowIndexes(handler, ...what.indexes, FEED_INDEX);
    this.allowKeys(handler, ['Query'], ...what.aggregates.map(aggregateKeyPrefix), ...what.lists);
    this.allowKeys(handler, ['GetItem'], PROJECTIONS);
  }

  /** Adds the route of the operators' log. @param entry entry point, with `answerAuditLog` */
  addAuditLog(id: string, route: Pick<Route, 'method' | 'path'>, entry: string): void {
    this.allowKeys(this.endpoint(id, route, entry), ['Query'], AUDIT_PREFIX);
  }

  private endpoint(id: string, { method, path }: Pick<Route, 'method' | 'path'>, entry: string): ServiceFunction {
    const { settings, bundles, throttle = { rate: 10, burst: 50 } } = this.props;
    const handler = new ServiceFunction(this, id, {
      context: { service: NAME, settings, bundles },
      entry,
      kind: 'request',
      timeout: TIMEOUT,
      environment: {
        [OperatorApiEnv.STACKS]: JSON.stringify(this.stacks),
        ...tokenEnvironment(settings),
        ...corsEnvironment(settings),
      },
      audited: true,
    });
    const stack = (prefix: string) => `stack/${prefix}*`;
    this.allow(handler, { actions: ['cloudformation:DescribeStacks'], service: 'cloudformation', resource: stack });
    this.routes.push({ method, path, handler, throttle });
    return handler;
  }

  /** Allows queries of indexes, which only tables of services have. */
  private allowIndexes(handler: ServiceFunction, ...indexes: readonly string[]): void {
    for (const index of indexes) {
      const resource = (prefix: string) => `table/${namePattern(prefix)}/index/${index}`;
      this.allow(handler, { actions: ['dynamodb:Query'], service: 'dynamodb', resource });
    }
  }

  /** Allows reading items whose partition keys have one of these prefixes. */
  private allowKeys(
    handler: ServiceFunction,
    actions: readonly ('GetItem' | 'Query')[],
    ...prefixes: readonly string[]
  ): void {
    this.allow(handler, {
      actions: actions.map((action) => `dynamodb:${action}`),
      service: 'dynamodb',
      resource: tablePattern,
      conditions: leadingKeys(prefixes),
    });
  }

  /**
   * Allows reading every commit, and every consumer's record of a message, by their keys. The tables are those of the services
   * alone, since the environment has others: that of people's keys.
   */
  private allowRecords(handler: ServiceFunction): void {
    const permission = { actions: ['dynamodb:BatchGetItem'], service: 'dynamodb', resource: tablePattern };
    grantInStacks(handler, this.services, permission, WHY_BY_NAME);
  }

  /** Allows something on resources of all stacks of the environment. A policy with each name would be too long for IAM. */
  private allow(handler: ServiceFunction, permission: StackPermission): void {
    grantInStacks(handler, [this.prefix], permission, WHY_BY_NAME);
  }
}

const logGroupPattern = (stack: string): string => `log-group:${namePattern(stack)}`;
const tablePattern = (stack: string): string => `table/${namePattern(stack)}`;
