import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';
import { compileInputTemplate, type InputTemplate } from './input-template.js';

type TargetKind = 'function' | 'machine' | 'queue' | 'topic' | 'bus' | 'logs' | 'stream';

/** A target or an enrichment of a pipe. */
export interface PipeStep {
  readonly kind: TargetKind;
  readonly arn: string;
  readonly shape: InputTemplate | undefined;
  /** Whether the pipe waits for the end of what it calls. */
  readonly waits: boolean;
  /** Parameters of the target's kind. */
  readonly parameters: JsonObject;
}

/** A pipe of a template. */
export interface PipeDefinition {
  readonly resource: Resource;
  readonly name: string;
  readonly source: string;
  readonly enrichment: PipeStep | undefined;
  readonly target: PipeStep;
  /** Its source, as an event source mapping would have it. */
  readonly mapping: Resource;
}

/** Each kind of target: the type of its resource, and what CloudFormation calls its parameters. */
const KINDS: readonly (readonly [kind: TargetKind, type: string, parameters: string, known: readonly string[]])[] = [
  ['function', 'AWS::Lambda::Function', 'LambdaFunctionParameters', ['InvocationType']],
  ['machine', 'AWS::StepFunctions::StateMachine', 'StepFunctionStateMachineParameters', ['InvocationType']],
  ['queue', 'AWS::SQS::Queue', 'SqsQueueParameters', ['MessageGroupId']],
  ['topic', 'AWS::SNS::Topic', '', []],
  ['bus', 'AWS::Events::EventBus', 'EventBridgeEventBusParameters', ['DetailType', 'Resources', 'Source', 'Time']],
  ['logs', 'AWS::Logs::LogGroup', 'CloudWatchLogsParameters', ['LogStreamName', 'Timestamp']],
  ['stream', 'AWS::Kinesis::Stream', 'KinesisStreamParameters', ['PartitionKey']],
];

const OF_STREAM = [
  'BatchSize',
  'DeadLetterConfig',
  'MaximumBatchingWindowInSeconds',
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'OnPartialBatchItemFailure',
  'ParallelizationFactor',
  'StartingPosition',
];

const SOURCES: Readonly<Record<string, readonly string[]>> = {
  SqsQueueParameters: ['BatchSize', 'MaximumBatchingWindowInSeconds'],
  DynamoDBStreamParameters: OF_STREAM,
  KinesisStreamParameters: OF_STREAM,
};

/** Amazon EventBridge User Guide, "Amazon EventBridge Pipes batching and concurrency": the largest batch of each target. */
const LARGEST: Partial<Readonly<Record<TargetKind, number>>> = { queue: 10, topic: 10, bus: 10, stream: 500 };

/** Reads a pipe. @throws {NotModelled} names what has no model */
export function readPipe(resource: Resource, assembly: Assembly): PipeDefinition {
  const { properties, ref } = resource;
  const { Source, Target, Enrichment, TargetParameters = {}, EnrichmentParameters = {} } = properties;
  const source = String(Source);
  const mapping = toMapping(resource, source);
  const target = readStep(String(Target), TargetParameters as JsonObject, assembly);
  const most = LARGEST[target.kind] ?? Number.POSITIVE_INFINITY;
  if (Number(mapping.properties.BatchSize) > most)
    throw new NotModelled(`a batch of ${String(mapping.properties.BatchSize)} for a target that takes ${most}`);
  const enrichment =
    Enrichment === undefined
      ? undefined
      : readStep(String(Enrichment), EnrichmentParameters as JsonObject, assembly, 'enrichment');
  return { resource, name: ref, source, enrichment, target, mapping };
}

function readStep(
  arn: string,
  { InputTemplate: template, ...parameters }: JsonObject,
  assembly: Assembly,
  role: 'target' | 'enrichment' = 'target',
): PipeStep {
  const found = KINDS.find(([kind, type]) =>
    assembly.findByType(type).some((one) => one.arn === arn || (kind === 'logs' && one.arn === `${arn}:*`)),
  );
  const isDefaultBus = /:event-bus\/default$/.test(arn);
  const [kind, , name, known] = found ?? (isDefaultBus ? KINDS.find(([one]) => one === 'bus') : undefined) ?? [];
  if (kind === undefined || known === undefined || (role === 'enrichment' && kind !== 'function' && kind !== 'machine'))
    throw new NotModelled(`the ${role} ${arn}; ${MODELLED[role]} are modelled`);
  const unknown = Object.keys(parameters).find((one) => one !== name);
  const own = (name === undefined || name === '' ? {} : (parameters[name] ?? {})) as JsonObject;
  const unread = unknown ?? Object.keys(own).find((one) => !known.includes(one));
  if (unread !== undefined) throw new NotModelled(`${unread} of the ${role}`);
  if (kind === 'logs') refuseSubscribed(arn, assembly);
  const waits = role === 'enrichment' || own.InvocationType !== 'FIRE_AND_FORGET';
  if (kind === 'machine' && waits) refuseStandard(arn, role, assembly);
  return {
    kind,
    arn,
    shape: template === undefined ? undefined : compileInputTemplate(String(template)),
    waits,
    parameters: own,
  };
}

const MODELLED = {
  target: 'functions, state machines, queues, topics, buses, streams and log groups',
  enrichment: 'functions and Express state machines',
};

/** "Troubleshooting": such a pipe is stopped by itself. */
function refuseStandard(arn: string, role: string, assembly: Assembly): void {
  const machine = assembly.findByType('AWS::StepFunctions::StateMachine').find((one) => one.arn === arn);
  if (machine?.properties.StateMachineType !== 'EXPRESS')
    throw new NotModelled(
      `the ${role} ${arn} is a Standard state machine, for whose end no pipe can wait: use InvocationType FIRE_AND_FORGET`,
    );
}

/** Lines that a pipe writes reach no function here. */
function refuseSubscribed(arn: string, assembly: Assembly): void {
  const group = assembly.findByType('AWS::Logs::LogGroup').find((one) => one.arn === arn || one.arn === `${arn}:*`);
  const filters = assembly.findByType('AWS::Logs::SubscriptionFilter');
  if (filters.some(({ properties }) => properties.LogGroupName === group?.ref))
    throw new NotModelled(`the target ${arn}, a log group to which a function subscribes`);
}

/** Describes the source of a pipe as an event source mapping of the same meaning. */
function toMapping(resource: Resource, source: string): Resource {
  const { SourceParameters = {}, DesiredState } = resource.properties;
  const { FilterCriteria, ...given } = SourceParameters as JsonObject;
  const [name = '', own = {}] = Object.entries(given)[0] ?? [];
  const known = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
  if (name !== '' && known === undefined) throw new NotModelled(`the source with ${name}`);
  const unread = Object.keys(own as JsonObject).find((one) => !known?.includes(one));
  if (unread !== undefined) throw new NotModelled(`${unread} of the source`);
  const { DeadLetterConfig, OnPartialBatchItemFailure, ...same } = own as { readonly [name: string]: Json };
  const { Arn } = (DeadLetterConfig ?? {}) as JsonObject;
  return {
    ...resource,
    properties: {
      ...same,
      EventSourceArn: source,
      Enabled: DesiredState !== 'STOPPED',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ...(FilterCriteria !== undefined && { FilterCriteria }),
      ...(Arn !== undefined && { DestinationConfig: { OnFailure: { Destination: Arn } } }),
      ...(OnPartialBatchItemFailure === 'AUTOMATIC_BISECT' && { BisectBatchOnFunctionError: true }),
    },
  };
}
