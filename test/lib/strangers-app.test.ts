import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  CognitoUserPoolsAuthorizer,
  Cors,
  EndpointType,
  JsonSchemaType,
  LambdaIntegration,
  MethodLoggingLevel,
  RestApi,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import { CorsHttpMethod, HttpApi, HttpMethod, WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  HttpLambdaAuthorizer,
  HttpLambdaResponseType,
  HttpUserPoolAuthorizer,
} from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { OAuthScope, UserPool, UserPoolOperation } from 'aws-cdk-lib/aws-cognito';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Code,
  FunctionUrlAuthType,
  type IFunction,
  type IVersion,
  Function as LambdaFn,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { beforeAll, expect, test } from 'vitest';
import { Assembly, Cloud, checkAssembly, Deployment } from '../../packages/simulator/index.js';

const fixture = (folder: string): string => join(import.meta.dirname, 'fixtures/stranger', folder);

/** An app as its author writes it who knows nothing of the simulator: each construct with what the CDK adds by default. */
class StrangersStack extends Stack {
  constructor(app: App) {
    super(app, 'Shop');
    const table = new Table(this, 'Orders', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const place = new LambdaFn(this, 'Place', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'place.handler',
      code: Code.fromAsset(fixture('esm')),
      environment: { TABLE: table.tableName },
      tracing: Tracing.ACTIVE,
      logRetention: RetentionDays.ONE_WEEK,
    });
    table.grantWriteData(place);
    const authorize = new LambdaFn(this, 'Authorize', {
      runtime: Runtime.NODEJS_20_X,
      handler: 'main.authorize',
      code: Code.fromAsset(fixture('files')),
    });
    const api = new RestApi(this, 'Api', {
      defaultCorsPreflightOptions: { allowOrigins: Cors.ALL_ORIGINS },
      deployOptions: { loggingLevel: MethodLoggingLevel.INFO, metricsEnabled: true, tracingEnabled: true },
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: true,
    });
    const authorizer = new TokenAuthorizer(this, 'Authorizer', { handler: authorize });
    const live = new Alias(this, 'Live', { aliasName: 'live', version: place.currentVersion as IVersion });
    api.root.addResource('orders').addMethod('POST', new LambdaIntegration(live as IFunction), { authorizer });
    const work = new LambdaFn(this, 'Work', {
      runtime: Runtime.NODEJS_18_X,
      handler: 'index.handler',
      code: Code.fromInline(`exports.handler = (event, context) => { console.log('worked', context.functionName); };`),
    });
    const queue = new Queue(this, 'Queue', { encryption: QueueEncryption.SQS_MANAGED });
    work.addEventSource(new SqsEventSource(queue));
    const nested = new LambdaFn(this, 'Nested', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'lib/nested.run',
      code: Code.fromAsset(fixture('nested')),
    });
    nested.addPermission('FromBucket', {
      principal: new ServicePrincipal('s3.amazonaws.com'),
      sourceAccount: this.account,
    });
    nested.addEventSource(new SqsEventSource(new Queue(this, 'Sealed', { encryption: QueueEncryption.KMS_MANAGED })));
    new Rule(this, 'Nightly', { schedule: Schedule.expression('rate(1 day)'), targets: [new LambdaFunction(work)] });
    new Rule(this, 'AtTwo', {
      schedule: Schedule.cron({ minute: '0', hour: '2' }),
      targets: [new LambdaFunction(work)],
    });
    new Bucket(this, 'Files', { removalPolicy: RemovalPolicy.DESTROY, autoDeleteObjects: true });
  }
}

const synthesize = (add: (stack: Stack) => void = () => undefined): string => {
  const outdir = mkdtempSync(join(tmpdir(), 'stranger-'));
  const app = new App({ outdir });
  add(new StrangersStack(app));
  app.synth();
  return outdir;
};

let folder: string;
beforeAll(() => {
  folder = synthesize();
});

/** Addresses at the edge of an app, as the CDK writes them by default. */
function addEdge(stack: Stack): void {
  const fn = new LambdaFn(stack, 'Edge', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline(`exports.handler = async () => ({ ok: true });`),
  });
  const pool = new UserPool(stack, 'Users', { selfSignUpEnabled: true, signInAliases: { email: true } });
  pool.addTrigger(UserPoolOperation.PRE_SIGN_UP, fn);
  const server = pool.addResourceServer('Server', {
    identifier: 'orders',
    scopes: [{ scopeName: 'read', scopeDescription: 'Reads orders' }],
  });
  const userPoolClient = pool.addClient('Web', { authFlows: { userPassword: true } });
  pool.addClient('Machine', {
    generateSecret: true,
    oAuth: {
      flows: { clientCredentials: true },
      scopes: [OAuthScope.resourceServer(server, { scopeName: 'read', scopeDescription: 'Reads orders' })],
    },
  });
  pool.addDomain('Domain', { cognitoDomain: { domainPrefix: 'stranger' } });
  const api = new HttpApi(stack, 'Http', {
    corsPreflight: { allowOrigins: ['*'], allowMethods: [CorsHttpMethod.GET] },
  });
  const integration = new HttpLambdaIntegration('ToEdge', fn);
  const users = new HttpUserPoolAuthorizer('ByUser', pool, { userPoolClients: [userPoolClient] });
  const decided = new HttpLambdaAuthorizer('ByFunction', fn, { responseTypes: [HttpLambdaResponseType.SIMPLE] });
  api.addRoutes({ path: '/orders', methods: [HttpMethod.GET], integration, authorizer: users });
  api.addRoutes({ path: '/orders/{id}', methods: [HttpMethod.ANY], integration, authorizer: decided });
  api.addRoutes({ path: '/open/{proxy+}', integration });
  fn.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
  const rest = new RestApi(stack, 'Guarded', { cloudWatchRole: false });
  const byPool = new CognitoUserPoolsAuthorizer(stack, 'ByPool', { cognitoUserPools: [pool] });
  const options = {
    authorizer: byPool,
    apiKeyRequired: true,
    requestValidatorOptions: { validateRequestBody: true },
    requestModels: {
      'application/json': rest.addModel('Order', { schema: { type: JsonSchemaType.OBJECT, required: ['sku'] } }),
    },
  };
  rest.root.addMethod('POST', new LambdaIntegration(fn), options);
  const plan = rest.addUsagePlan('Plan', { throttle: { rateLimit: 10, burstLimit: 2 } });
  plan.addApiKey(rest.addApiKey('Key'));
  plan.addApiStage({ stage: rest.deploymentStage });
}

test('the edge of an app as the CDK writes it by default runs', async () => {
  const edge = synthesize(addEdge);
  expect(checkAssembly(edge)).toEqual([]);
  const cloud = new Cloud(new Deployment(new Assembly(edge)), { seed: '1' });
  const ask = async (label: string, path: string, headers = {}) => {
    let status = 0;
    cloud.apis
      .find((api) => api.label === label)
      ?.request({ method: 'GET', path, headers }, (answer) => {
        status = answer.status;
      });
    await cloud.world.until(() => status > 0);
    return status;
  };
  const [pool] = cloud.userPools.pools;
  const [client] = pool?.clients ?? [];
  if (!pool || !client) throw new Error('the pool has no client');
  const { IdToken } = pool.issueFor(pool.addUser('alice', undefined, new Map(), 'CONFIRMED'), client);
  expect(await ask('Http', '/open/a')).toBe(200);
  expect([await ask('Http', '/orders'), await ask('Http', '/orders', { Authorization: IdToken })]).toEqual([401, 200]);
  expect(await ask('Edge/FunctionUrl', '/')).toBe(200);
});

test('an app as the CDK writes it by default has nothing that stands in the way', () =>
  expect(checkAssembly(folder)).toEqual([]));

test('it runs: ES modules, several files, the SDK of the runtime, a callback, an alias, a token, a preflight', async () => {
  const cloud = new Cloud(new Deployment(new Assembly(folder)), { seed: '1' });
  const [api] = cloud.apis;
  const ask = async (method: string, token?: string) => {
    let status = 0;
    const headers = { ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) };
    api?.request({ method, path: '/orders', headers, body: '{"sku":"lamp"}' }, (answer) => {
      status = answer.status;
    });
    await cloud.world.until(() => status > 0);
    return status;
  };
  expect([await ask('OPTIONS'), await ask('POST'), await ask('POST', 'mallory')]).toEqual([204, 401, 403]);
  expect([await ask('POST', 'alice'), await ask('POST', 'alice')]).toEqual([201, 201]);
  expect(cloud.listItems('Orders')).toMatchObject([{ sku: 'lamp' }]);
  // The authorizer's answer is kept for five minutes: one for alice, one for mallory.
  expect(cloud.log.filter(({ text }) => text === 'asked')).toHaveLength(2);
  cloud.queue('Queue').send({ body: 'x' });
  await cloud.world.settle();
  expect(cloud.log.filter(({ text }) => text.startsWith('worked'))).toHaveLength(1);
  cloud.queue('Sealed').send({ body: 'x' });
  await cloud.world.settle();
  expect(cloud.log.filter(({ text }) => text === 'nested got x')).toHaveLength(1);
  // The rules tick in the background: the one of each day, and the one at two o'clock.
  await cloud.world.pass(24 * 3_600_000);
  expect(cloud.log.filter(({ text }) => text.startsWith('worked'))).toHaveLength(3);
});

test('all that stands in the way is listed at once, and what carries messages can not be ignored', () => {
  const broken = synthesize((stack) => {
    new WebSocketApi(stack, 'Sold');
    new LambdaFn(stack, 'Python', {
      runtime: Runtime.PYTHON_3_12,
      handler: 'index.handler',
      code: Code.fromInline('x'),
    });
    new LambdaFn(stack, 'Gone', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'gone.handler',
      code: Code.fromAsset(fixture('esm')),
    });
  });
  const obstacles = checkAssembly(broken).map(({ label, what, mayBeIgnored }) => `${label}: ${what} ${mayBeIgnored}`);
  expect(obstacles.toSorted()).toEqual([
    expect.stringContaining('Gone: the handler gone.handler of Gone needs gone.js'),
    expect.stringContaining('Python: its runtime is python3.12'),
    'Sold: RouteSelectionExpression false',
    expect.stringMatching(/^Sold: the protocol WEBSOCKET.* false$/),
  ]);
  expect(() => new Deployment(new Assembly(broken), undefined, undefined, { obstacles: 'ignored' })).toThrow('Python');
});
