import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, BillingMode, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  FilterCriteria,
  FilterRule,
  Function as LambdaFunction,
  Runtime,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { buildSync } from 'esbuild';
import { STEPS } from './messages.js';

/** Host of the payment provider, of which the run has a model. */
export const PROVIDER = 'cards.example.com';
const HERE = fileURLToPath(new URL('.', import.meta.url));
/** As Orderly's functions, by whether somebody waits for an answer. */
const MEMORY = { request: 512, message: 256 };

/** Synthesizes the rival: five services with a table, an idempotency table, a relay and a queue each. @returns the assembly's folder */
export function synthesize(folder: string): string {
  const app = new App({ outdir: join(folder, 'assembly'), context: { 'aws:cdk:enable-path-metadata': true } });
  const stack = new Stack(app, 'Rival', { env: { region: 'us-east-1', account: '123456789012' } });
  const bus = new EventBus(stack, 'Bus');
  const code = bundles(folder);
  const orders = new Service(stack, 'Orders', {
    bus,
    code,
    entry: 'saga',
    listensTo: ['OrderPlaced', ...STEPS.map(({ done }) => done)],
  });
  for (const { service, command } of STEPS)
    new Service(stack, service, { bus, code, entry: 'participant', listensTo: [command] });
  const place = orders.fn('Place', 'place', 'request');
  const api = new RestApi(stack, 'Api', { deployOptions: { stageName: 'prod' } });
  api.root.addResource('orders').addMethod('POST', new LambdaIntegration(place));
  app.synth();
  return join(folder, 'assembly');
}

interface ServiceProps {
  readonly bus: EventBus;
  readonly code: (entry: string) => Code;
  readonly entry: string;
  readonly listensTo: readonly string[];
}

class Service extends Construct {
  private readonly table: Table;
  private readonly idempotency: Table;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ServiceProps,
  ) {
    super(scope, id);
    const common = { billingMode: BillingMode.PAY_PER_REQUEST, removalPolicy: RemovalPolicy.DESTROY };
    this.table = new Table(this, 'Table', {
      ...common,
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      stream: StreamViewType.NEW_IMAGE,
      timeToLiveAttribute: 'expiresAt',
    });
    this.idempotency = new Table(this, 'Idempotency', {
      ...common,
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiration',
    });
    const relay = this.fn('Relay', 'relay', 'message');
    props.bus.grantPutEventsTo(relay);
    const isOutbox = {
      eventName: FilterRule.isEqual('INSERT'),
      dynamodb: { Keys: { sk: { S: FilterRule.isEqual('OUTBOX') } } },
    };
    relay.addEventSource(
      // CDK's own types differ under `exactOptionalPropertyTypes`: a table may have no stream.
      new DynamoEventSource(this.table as ITable, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 100,
        parallelizationFactor: 10,
        reportBatchItemFailures: true,
        filters: [FilterCriteria.filter(isOutbox)],
      }),
    );
    const queue = new Queue(this, 'Queue', { visibilityTimeout: Duration.seconds(60) });
    new Rule(this, 'Rule', {
      eventBus: props.bus,
      eventPattern: { detailType: [...props.listensTo] },
      targets: [new SqsQueue(queue)],
    });
    this.fn('OnMessage', props.entry, 'message').addEventSource(
      new SqsEventSource(queue, { batchSize: 10, reportBatchItemFailures: true }),
    );
  }

  fn(id: string, entry: string, kind: keyof typeof MEMORY): LambdaFunction {
    const role = new Role(this, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const writeLog = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];
    role.addToPolicy(new PolicyStatement({ actions: writeLog, resources: ['*'] }));
    const fn = new LambdaFunction(this, id, {
      role,
      code: this.props.code(entry),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY[kind],
      timeout: Duration.seconds(10),
      environment: {
        TABLE_NAME: this.table.tableName,
        IDEMPOTENCY_TABLE: this.idempotency.tableName,
        BUS_NAME: this.props.bus.eventBusName,
        PROVIDER_HOST: PROVIDER,
        POWERTOOLS_SERVICE_NAME: this.node.id,
      },
    });
    this.table.grantReadWriteData(fn);
    this.idempotency.grantReadWriteData(fn);
    return fn;
  }
}

/** Bundles the entry points as Orderly's are, so that only their code differs. */
function bundles(folder: string): (entry: string) => Code {
  return (entry) => {
    const { outputFiles } = buildSync({
      entryPoints: [join(HERE, `${entry}.lambda.ts`)],
      bundle: true,
      write: false,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      mainFields: ['module', 'main'],
      minify: true,
      logLevel: 'warning',
    });
    const place = join(folder, 'code', entry);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'index.js'), outputFiles[0]?.text ?? '');
    return Code.fromAsset(place);
  };
}
