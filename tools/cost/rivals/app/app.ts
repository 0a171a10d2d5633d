import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, BillingMode, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
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
import { type Asks, leader } from './machine.js';
import { STEPS } from './messages.js';

/** Host of the payment provider, of which the run has a model. */
export const PROVIDER = 'cards.example.com';
const HERE = fileURLToPath(new URL('.', import.meta.url));
/** As Orderly's functions, by whether somebody waits for an answer. */
const MEMORY = { request: 512, message: 256 };

/**
 * Who leads an order: a saga of the rival's own, a Standard state machine that waits for answers, or an Express one that invokes the participants
 * itself.
 */
export type Leader = 'saga' | 'standard' | 'express';

/**
 * Synthesizes a rival: five services with a table and an idempotency table, and as far as their leader needs them a relay and a queue each.
 * @returns the assembly's folder
 */
export function synthesize(folder: string, leads: Leader): string {
  const app = new App({ outdir: join(folder, 'assembly'), context: { 'aws:cdk:enable-path-metadata': true } });
  const stack = new Stack(app, 'Rival', { env: { region: 'us-east-1', account: '123456789012' } });
  const bus = new EventBus(stack, 'Bus');
  const code = bundles(folder);
  const orders = new Service(stack, 'Orders', { bus, code });
  orders.publishes();
  const participants = STEPS.map((step) => ({ ...step, to: new Service(stack, step.service, { bus, code }) }));
  if (leads === 'saga') orders.listensTo(['OrderPlaced', ...STEPS.map(({ done }) => done)], 'saga');
  else leadByMachine(stack, orders, leads === 'standard' ? { bus } : { participants: invoked(participants) });
  for (const { command, to } of participants) {
    if (leads === 'express') continue;
    to.listensTo([command], 'participant');
    if (leads === 'saga') to.publishes();
    else to.answers();
  }
  const place = orders.fn('Place', 'place', 'request');
  const api = new RestApi(stack, 'Api', { deployOptions: { stageName: 'prod' } });
  api.root.addResource('orders').addMethod('POST', new LambdaIntegration(place));
  app.synth();
  return join(folder, 'assembly');
}

interface ServiceProps {
  readonly bus: EventBus;
  readonly code: (entry: string) => Code;
}

/** A rule starts an execution for each order that was placed. */
function leadByMachine(stack: Stack, { table, props }: Service, asks: Asks): void {
  const machine = leader(stack, table, asks);
  new Rule(stack, 'Starts', {
    eventBus: props.bus,
    eventPattern: { detailType: ['OrderPlaced'] },
    targets: [new SfnStateMachine(machine, { input: RuleTargetInput.fromEventPath('$.detail') })],
  });
}

const invoked = (participants: readonly { readonly service: string; readonly to: Service }[]) =>
  new Map(participants.map(({ service, to }) => [service, to.fn('Direct', 'direct', 'message')]));

class Service extends Construct {
  readonly table: ITable;
  private readonly idempotency: Table;

  constructor(
    scope: Construct,
    id: string,
    readonly props: ServiceProps,
  ) {
    super(scope, id);
    const common = { billingMode: BillingMode.PAY_PER_REQUEST, removalPolicy: RemovalPolicy.DESTROY };
    // CDK's own types differ under `exactOptionalPropertyTypes`: a table may have no stream.
    this.table = new Table(this, 'Table', {
      ...common,
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      stream: StreamViewType.NEW_IMAGE,
      timeToLiveAttribute: 'expiresAt',
    }) as ITable;
    this.idempotency = new Table(this, 'Idempotency', {
      ...common,
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiration',
    });
  }

  /** A relay publishes the items of the outbox. */
  publishes(): void {
    this.props.bus.grantPutEventsTo(this.relay('relay'));
  }

  /** A relay answers a state machine by the items of the outbox. */
  answers(): void {
    this.relay('answer').addToRolePolicy(
      new PolicyStatement({ actions: ['states:SendTaskSuccess'], resources: ['*'] }),
    );
  }

  private relay(entry: string): LambdaFunction {
    const relay = this.fn('Relay', entry, 'message');
    const isOutbox = {
      eventName: FilterRule.isEqual('INSERT'),
      dynamodb: { Keys: { sk: { S: FilterRule.isEqual('OUTBOX') } } },
    };
    relay.addEventSource(
      new DynamoEventSource(this.table, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 100,
        parallelizationFactor: 10,
        reportBatchItemFailures: true,
        filters: [FilterCriteria.filter(isOutbox)],
      }),
    );
    return relay;
  }

  /** A queue and its function get events of the bus. */
  listensTo(events: readonly string[], entry: string): void {
    const queue = new Queue(this, 'Queue', { visibilityTimeout: Duration.seconds(60) });
    new Rule(this, 'Rule', {
      eventBus: this.props.bus,
      eventPattern: { detailType: [...events] },
      targets: [new SqsQueue(queue)],
    });
    this.fn('OnMessage', entry, 'message').addEventSource(
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
