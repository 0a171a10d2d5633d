import type { JsonObject } from '../../../../packages/simulator/assembly/intrinsics.js';
import { LARGE_BURST } from '../../scenarios/burst.js';
import { type PlantedBug, properties, replaced } from '../bug.js';

const without =
  (name: string) =>
  (from: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));

/** Bugs of what is deployed, without a change of a source file. */
export const TEMPLATES: readonly PlantedBug[] = [
  {
    name: 'the mapping does not ask for failures of single messages',
    scenario: 'place-one',
    resource: properties('AWS::Lambda::EventSourceMapping', /SqsEventSource/, without('FunctionResponseTypes')),
  },
  {
    name: "TTL's deletions pass the filter of the stream",
    scenario: 'redelivery-ttl-at-once',
    resource: properties(
      'AWS::Lambda::EventSourceMapping',
      /^OutboxStream/,
      replaced('\\"eventName\\":[\\"INSERT\\"],', ''),
    ),
  },
  {
    name: 'the filter of the stream lets no commit through',
    scenario: 'place-one',
    resource: properties('AWS::Lambda::EventSourceMapping', /^OutboxStream/, replaced('COMMIT#', 'COMMITS#')),
  },
  {
    name: 'the rule listens to the wrong type',
    scenario: 'place-one',
    resource: properties('AWS::Events::Rule', /^ReservationsOrders/, replaced('"OrderCancelled"', '"OrderCanceled"')),
  },
  {
    name: 'a permission is missing',
    scenario: 'place-one',
    resource: properties('AWS::IAM::Role', /^OnReservationsRole/, (policy) => {
      const text = JSON.stringify(policy).replace(/\{"Action":"dynamodb:UpdateItem".*?"Effect":"Allow".*?\}\},?/, '');
      return JSON.parse(text.replace(',]', ']')) as JsonObject;
    }),
  },
  {
    name: "who reads an order has lost the tag that the key of people's keys asks for",
    scenario: 'forget-races',
    resource: properties('AWS::IAM::Role', /^(GetOrder|PlaceOrder)Role/, without('Tags')),
  },
  {
    name: 'a rule target has no dead-letter queue',
    scenario: 'place-one',
    resource: properties('AWS::Events::Rule', /^ReservationsOrders/, ({ Targets, ...rule }) => ({
      ...rule,
      Targets: (Targets as readonly JsonObject[]).map(without('DeadLetterConfig')),
    })),
  },
  {
    name: 'messages become visible again while they are handled',
    scenario: 'place-one',
    resource: properties('AWS::SQS::Queue', /^ReservationsQueue/, (queue) => ({ ...queue, VisibilityTimeout: 5 })),
  },
  {
    name: 'a batch that the relay gives up goes nowhere',
    scenario: 'relay-fails-26-hours',
    resource: properties('AWS::Lambda::EventSourceMapping', /^OutboxStream/, without('DestinationConfig')),
  },
  {
    name: 'a dead-letter queue keeps its messages for four days',
    scenario: 'drain-fails-13-days',
    resource: properties('AWS::SQS::Queue', /^SagaDeadLetters/, without('MessageRetentionPeriod')),
  },
  {
    name: 'what is approved is not captured',
    scenario: 'place-one',
    resource: properties('AWS::Events::Rule', /^OrderEndsOrders/, replaced('"OrderApproved"', '"OrderRejected"')),
  },
  {
    name: 'the money of an order that is cancelled after its approval is kept',
    scenario: 'place-one',
    resource: properties('AWS::Events::Rule', /^CancellationsOrders/, replaced('"OrderCancelled"', '"OrderRejected"')),
  },
  {
    name: 'nobody is called every minute: no clock ever rings',
    scenario: 'deadlines-pass',
    resource: properties('AWS::Events::Rule', /EveryMinute/, without('Targets')),
  },
  {
    name: 'inventory receives of no dispatch',
    scenario: 'dispatch-one',
    resource: properties('AWS::Events::Rule', /^ReservationsOrders/, replaced('"OrderDispatched"', '"OrderRejected"')),
  },
  {
    name: 'the bucket of failed batches keeps no versions',
    scenario: 'batches-overwritten',
    resource: properties('AWS::S3::Bucket', /FailedBatches/, without('VersioningConfiguration')),
  },
  {
    name: 'nothing is reserved: a flood of the API takes every execution',
    scenario: 'api-flood',
    resource: properties('AWS::Lambda::Function', /./, without('ReservedConcurrentExecutions')),
  },
  {
    name: 'routes that begin orders have no limit of their own',
    scenario: 'overload',
    resource: properties('AWS::ApiGateway::Stage', /./, ({ MethodSettings = [], ...stage }) => ({
      ...stage,
      MethodSettings: (MethodSettings as readonly JsonObject[]).filter(({ ResourcePath }) => ResourcePath === '/*'),
    })),
  },
  {
    name: 'queues are not fair: messages have no group',
    scenario: `burst-of-${LARGE_BURST}`,
    resource: properties('AWS::Events::Rule', /./, ({ Targets = [], ...rule }) => ({
      ...rule,
      Targets: (Targets as readonly JsonObject[]).map(without('SqsParameters')),
    })),
  },
  {
    name: 'rewards hear of no settlement, which has its place in the order of events',
    scenario: 'rewards-in-order',
    resource: properties(
      'AWS::Events::Rule',
      /^AccountEventsAccountsEvents/,
      replaced('"CreditSettled"', '"CreditSettlement"'),
    ),
  },
];
