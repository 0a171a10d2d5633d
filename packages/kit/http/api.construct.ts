import { Duration, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  AuthorizationType,
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  IdentitySource,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  RequestAuthorizer,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledgeCompliance } from '../base/acknowledge.js';
import { alarm, alarmOnNone } from '../base/alarms.construct.js';
import { liveFunction } from '../base/canary.construct.js';
import { corsEnvironment, resolveCorsOrigins } from '../base/cors-settings.js';
import { resolveDomain } from '../base/domain-settings.js';
import { keepExport } from '../base/kept-exports.js';
import { addPinnedOutput, logicalPrefix } from '../base/logical-ids.js';
import { Output } from '../base/outputs.js';
import { removalPolicyOf } from '../base/retention.js';
import { setRunbook } from '../base/runbook.js';
import { ServiceAlarms } from '../base/service-alarms.construct.js';
import { type ServiceContext, ServiceFunction } from '../base/service-function.construct.js';
import type { EnvironmentSettings } from '../base/settings.js';
import { tokenEnvironment } from '../base/token-environment.js';
import { answerPreflight } from './cors.construct.js';
import { ApiDomain, TLS_POLICY } from './domain.construct.js';
import { Firewall } from './firewall.construct.js';
import { addProblemResponses } from './gateway-responses.construct.js';
import { refuseOtherMethods } from './method-not-allowed.construct.js';
import { refuseSimulatedIssuer } from './simulated-issuer.construct.js';

/** Method and path of the API, and the function that answers there. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with parameters, such as `/orders/{orderId}`. */
  readonly path: string;
  readonly handler: ServiceFunction;
  /** Requests per second to this route, and the burst above that rate. @default `throttle` of the settings */
  readonly throttle?: EnvironmentSettings['throttle'];
}

export interface ApiProps {
  readonly settings: EnvironmentSettings;
  readonly bundles: ServiceContext['bundles'];
  /** Services whose endpoints it serves. Declare their endpoints before the API. */
  readonly services: readonly { readonly routes: readonly Route[] }[];
  /**
   * Routes that need no token ({@link publicRoute}). Everybody on the internet may call them, so give them a `throttle` of
   * their own.
   * @default none
   */
  readonly publicRoutes?: readonly Route[];
  /**
   * Function that verifies the caller's token. It is called for each request with a header `Authorization`.
   * @default a new `tokenAuthorizer`
   */
  readonly authorizer?: ServiceFunction;
  readonly alarmTopic: ITopic;
  /**
   * Whether the pages of the API, and those of constructs below it, are one message, as those of a service are.
   * @default false
   */
  readonly isOnePage?: boolean;
}

/** Longest duration of the authorizer in a new execution environment, in seconds. Otherwise it takes milliseconds. */
const COLD_START_SECONDS = 0.4;

/** The function that verifies tokens of the issuer in the settings. */
export const tokenAuthorizer = (
  scope: Construct,
  id: string,
  { settings, bundles }: Pick<ApiProps, 'settings' | 'bundles'>,
): ServiceFunction =>
  new ServiceFunction(scope, id, {
    context: { service: 'platform', settings, bundles },
    entry: 'kit/http/authorizer',
    kind: 'request',
    reservedConcurrency: Math.ceil(settings.throttle.rate * COLD_START_SECONDS),
    environment: { ...tokenEnvironment(settings), ...corsEnvironment(settings) },
  });

/**
 * A route that needs no token, and its function: one by `publicDocumentHandler`.
 * @example
 * const document = publicRoute(this, 'OpenApi', { ...props, ...getOpenApi, entry: 'get-open-api', throttle: { rate: 10, burst: 20 } });
 * new Api(this, 'Api', { ...props, publicRoutes: [document] });
 */
export function publicRoute(
  scope: Construct,
  id: string,
  props: Pick<ApiProps, 'settings' | 'bundles'> &
    Pick<Route, 'method' | 'path' | 'throttle'> & { readonly entry: string },
): Route {
  const { settings, bundles, method, path, entry, throttle } = props;
  const handler = new ServiceFunction(scope, id, {
    context: { service: 'platform', settings, bundles },
    entry,
    kind: 'request',
    environment: corsEnvironment(settings),
  });
  return { method, path, handler, ...(throttle && { throttle }) };
}

const STAGE = 'v1';

/**
 * REST API. Each route is behind the authorizer unless it is public, and all errors are problem details. The access log contains no token,
 * no body and no name.
 *
 * An inline key set of an issuer below `.invalid` is an error at synth: everybody can sign the tokens of a simulated issuer.
 * The context `simulated=true` allows it (`cdk synth -c simulated=true`), for an assembly that the simulator plays, unless the
 * environment keeps data.
 *
 * Its outputs are `ApiId`, `ApiUrl` and `ApiFunctions` (the authorizer and the functions of
 * public routes), behind the construct id unless this is `Api`
 * (`PublicApiUrl`). With `domain` in the settings, `ApiUrl` has that host name, `ApiDomainTarget` is where its DNS record
 * points, and the address with the gateway's id answers no more.
 *
 * The handlers refuse bodies over 64 KB (413), and the gateway refuses bodies over 10 MB. With a firewall, the
 * firewall refuses both.
 * @example
 * const board = new Service(this, 'Board', { settings, bundles, bus, alarmTopic, name: 'board' });
 * board.addEndpoint('OpenTicket', { method: 'POST', path: '/tickets' }, 'open-ticket');
 * new Api(this, 'Api', { settings, bundles, alarmTopic, services: [board] });
 */
export class Api extends Construct {
  readonly api: RestApi;
  /** Address of the API with its stage, as clients know it, with a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    setRunbook(this, props.settings);
    const { settings, services, publicRoutes = [], alarmTopic } = props;
    // Before the alarms, which find it.
    if (props.isOnePage) new ServiceAlarms(this, alarmTopic);
    const routes = [...services.flatMap((service) => service.routes), ...publicRoutes];
    this.checkRoutes(routes);
    refuseSimulatedIssuer(this, settings);
    const { region } = Stack.of(this);
    const domain = resolveDomain(settings, Token.isUnresolved(region) ? undefined : region);
    this.node.addValidation({ validate: () => findLateRoutes(services, routes) });
    const verifier = props.authorizer ?? tokenAuthorizer(this, 'Authorize', props);

    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: settings.logRetention,
      removalPolicy: removalPolicyOf(settings),
    });
    this.api = new RestApi(this, 'Rest', {
      // Label and metrics dimension. Clients address the API by its id.
      restApiName: Stack.of(this).stackName,
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      ...(domain && !domain.keepsGatewayAddress && { disableExecuteApiEndpoint: true }),
      // An account-wide setting. Without it, API Gateway writes no access log for any API of the account. It stays when
      // this stack is deleted or its creation is rolled back, since another environment may write its log by this role.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: STAGE,
        throttlingRateLimit: settings.throttle.rate,
        throttlingBurstLimit: settings.throttle.burst,
        methodOptions: Object.fromEntries(
          routes.flatMap(({ method, path, throttle }) =>
            throttle
              ? [[`${path}/${method}`, { throttlingRateLimit: throttle.rate, throttlingBurstLimit: throttle.burst }]]
              : [],
          ),
        ),
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: ACCESS_LOG,
      },
    });
    this.requireTls12();
    const authorizer = new RequestAuthorizer(this, 'Authorizer', {
      handler: verifier.function,
      // The gateway answers a request without this header by itself (401), so that strangers cost no invocation. Nothing is
      // cached: a cached result could outlive the token, and it would hold the correlation id of another request.
      identitySources: [IdentitySource.header('Authorization')],
      resultsCacheTtl: Duration.seconds(0),
    });
    for (const route of routes) {
      const { method, path, handler } = route;
      const isPublic = publicRoutes.includes(route);
      const added = this.api.root
        .resourceForPath(path)
        .addMethod(
          method,
          new LambdaIntegration(invokedFunction(handler, this), { allowTestInvoke: false }),
          isPublic
            ? { authorizationType: AuthorizationType.NONE }
            : { authorizationType: AuthorizationType.CUSTOM, authorizer },
        );
      if (isPublic) {
        Validations.of(added).acknowledge({
          id: 'AwsSolutions-APIG4',
          reason: 'It answers everybody with the same document, which holds nothing of any caller.',
        });
      }
    }
    const answers = { app: settings.app.name, origins: resolveCorsOrigins(settings) };
    for (const path of new Set(routes.map((route) => route.path))) {
      const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
      this.addOtherMethods(this.api.root.resourceForPath(path), methods, answers);
    }
    // Outputs whose keys tools can know. CDK's own one has a hash in it.
    this.api.node.tryRemoveChild('Endpoint');
    const name = logicalPrefix(this).endsWith('Api') ? '' : 'Api';
    addPinnedOutput(this, `${name}Id`, this.api.restApiId);
    const own = domain && new ApiDomain(this, 'Domain', { api: this.api, domain, path: STAGE });
    this.url = own?.url ?? this.api.url;
    addPinnedOutput(this, `${name}Url`, this.url);
    if (own) addPinnedOutput(this, `${name}DomainTarget`, own.target);
    addPinnedOutput(
      this,
      name + Output.FUNCTIONS,
      Stack.of(this).toJsonString(
        [verifier, ...publicRoutes.map(({ handler }) => handler)].map(({ description }) => description),
      ),
    );
    addProblemResponses(this.api, answers);
    if (settings.firewall) {
      new Firewall(this, 'Firewall', { stage: this.api.deploymentStage, settings, limits: settings.firewall });
    }
    this.addAlarms(settings, alarmTopic);
    this.acknowledgeRules(settings);
  }

  /** Answers the methods of a path that no function has: preflight requests, if pages of other origins may call, and 405. */
  private addOtherMethods(
    path: IResource,
    methods: readonly string[],
    answers: { readonly app: string; readonly origins: readonly string[] },
  ): void {
    const { origins } = answers;
    if (origins.length > 0) answerPreflight(path, methods, origins);
    refuseOtherMethods(path, origins.length > 0 ? [...methods, 'OPTIONS'] : methods, answers);
  }

  /**
   * Requires TLS 1.2 or newer, with forward secrecy. Without a policy an API accepts TLS 1.0.
   *
   * `STRICT` accepts only connections that name this API's own host (SNI). Source: API Gateway, "Security policies for
   * REST APIs". RestApi has no props for either yet.
   */
  private requireTls12(): void {
    const api = this.api.node.defaultChild as CfnRestApi;
    api.securityPolicy = TLS_POLICY;
    api.endpointAccessMode = EndpointAccessMode.STRICT;
  }

  private addAlarms({ apiQuietAfter }: EnvironmentSettings, topic: ITopic): void {
    alarm(this, 'ApiServerErrors', {
      metric: this.api.metricServerError({ period: Duration.minutes(5), statistic: 'sum' }),
      threshold: 5,
      means: 'callers got at least 5 answers of 5xx within 5 minutes.',
      topic,
    });
    alarm(this, 'ApiSlow', {
      metric: this.api.metricLatency({ period: Duration.minutes(5), statistic: 'p99' }),
      threshold: Duration.seconds(3).toMilliseconds(),
      periods: 3,
      means: 'one request of a hundred has taken longer than 3 seconds for a quarter of an hour.',
      severity: 'ticket',
      topic,
    });
    if (apiQuietAfter === undefined) return;
    alarmOnNone(this, 'ApiQuiet', {
      metric: this.api.metricCount({ period: apiQuietAfter, statistic: 'sum' }),
      means: `not one request has reached the API for ${apiQuietAfter.toHumanString()}.`,
      topic,
    });
  }

  /**
   * Refuses two functions for one address. CloudFormation would refuse them too, but after minutes, and by a logical
   * id.
   */
  private checkRoutes(routes: readonly Route[]): void {
    const seen = new Set<string>();
    for (const { method, path } of routes) {
      const address = `${method} ${path}`;
      if (seen.has(address)) throw new Error(`two functions answer to ${address}: expected one`);
      seen.add(address);
    }
  }

  private acknowledgeRules({ firewall, environment }: EnvironmentSettings): void {
    const acknowledge = (id: string, reason: string) => Validations.of(this).acknowledge({ id, reason });
    acknowledge(
      'AwsSolutions-APIG2',
      'The handlers validate with the schemas of their contract, and answer with a pointer to each fault; a model of the gateway would say "Invalid request body" before them.',
    );
    acknowledge(
      'AwsSolutions-COG4',
      'Tokens of any OIDC issuer are verified by a Lambda authorizer; Cognito is one issuer among others.',
    );
    acknowledge(
      'AwsSolutions-APIG6',
      'The access log says why a request failed (error, authorizer and integration messages). The execution log would hold tokens and bodies where its level is raised, in a log group that never expires.',
    );
    acknowledge(
      'Serverless-APIGWXrayEnabled',
      'As for functions: X-Ray loses the trace at the first stream; the W3C traceparent goes all the way.',
    );
    acknowledge(
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      "API Gateway's own logging role, one per account and not of any function; AWS documents this policy for it.",
    );
    acknowledgeCompliance(this, {
      APIGWCacheEnabledAndEncrypted:
        'Answers are of one caller each, and now: a cache would keep them and give old ones.',
      APIGWExecutionLoggingEnabled: 'As for AwsSolutions-APIG6.',
      APIGWSSLEnabled:
        'A client certificate shows a backend on the internet who calls; a function is called by an API of AWS, which its permission names.',
      APIGWXrayEnabled: 'As for Serverless-APIGWXrayEnabled.',
      ...(firewall ? {} : { APIGWAssociatedWithWAF: 'As for AwsSolutions-APIG3.' }),
    });
    if (firewall) return;
    acknowledge(
      'AwsSolutions-APIG3',
      `A firewall costs about 11 dollars a month, which '${environment}' isn't worth; environments that keep data have one.`,
    );
  }
}

/**
 * Returns what the API invokes for an endpoint. Where that is an alias, the function's export is kept: it is still imported by the
 * API's stack while the service's stack is deployed, and CloudFormation removes no export that is in use.
 */
function invokedFunction(handler: ServiceFunction, api: Construct): IFunction {
  const live = liveFunction(handler);
  const service = Stack.of(handler);
  if (live !== handler.function && service !== Stack.of(api)) keepExport(service, handler.function.functionArn);
  return live;
}

/** Returns a fault for each endpoint that was declared after the API. Every request to it would be answered 403. */
const findLateRoutes = (services: ApiProps['services'], served: readonly Route[]): string[] =>
  services
    .flatMap(({ routes }) => routes)
    .filter((route) => !served.includes(route))
    .map(({ method, path }) => `${method} ${path} is not served: expected it to be declared before the API`);

/** One JSON line a request. `sub` and the query aren't in it: a log outlives a person's wish to be forgotten. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    correlationId: AccessLogField.contextAuthorizer('correlationId'),
    time: AccessLogField.contextRequestTimeEpoch(),
    method: AccessLogField.contextHttpMethod(),
    route: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    role: AccessLogField.contextAuthorizer('role'),
    latencyMs: AccessLogField.contextResponseLatency(),
    integrationLatencyMs: AccessLogField.contextIntegrationLatency(),
    tlsVersion: '$context.tlsVersion',
    responseBytes: AccessLogField.contextResponseLength(),
    errorType: AccessLogField.contextErrorResponseType(),
    error: AccessLogField.contextErrorMessage(),
    authorizerError: '$context.authorizer.error',
    integrationError: AccessLogField.contextIntegrationErrorMessage(),
  }),
);
