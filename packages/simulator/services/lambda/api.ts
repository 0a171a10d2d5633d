import { createHash } from 'node:crypto';
import type { EventLoop } from '../../engine/event-loop.js';
import { NotModelled, type Operations, paginate, RawResponse, Refused, toSeconds } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import type { AsyncInvocations } from './async-invoke.js';
import type { SharedConcurrency } from './concurrency.js';
import type { EventSource } from './event-source.js';
import type { InvocationResult, LambdaFunction, LogLine } from './model.js';

const PAGE = 50;
/** Bytes of the log's end that an invocation answers. AWS Lambda API Reference, "Invoke": `LogType`. */
const TAIL = 4096;

/** Parts of an account that functions and mappings need. */
interface Account {
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly sources: readonly EventSource[];
  readonly asynchronous: AsyncInvocations;
  readonly world: EventLoop;
  readonly log: readonly LogLine[];
  readonly unreserved: SharedConcurrency;
}

/** Functions and event source mappings. AWS Lambda API Reference, "Actions". */
export function lambdaApi(cloud: Account): Operations {
  const begun = new Date(cloud.world.begins).toISOString().replace('Z', '+0000');
  const configured = (fn: LambdaFunction) => describeConfiguration(fn, begun);
  return {
    Invoke: (input) => invoke(cloud, input),
    ListFunctions: ({ Marker, MaxItems = PAGE }) => {
      const { page, next } = paginate([...cloud.functions.values()], Marker, Number(MaxItems));
      return { Functions: page.map(configured), ...(next !== undefined && { NextMarker: next }) };
    },
    GetFunction: (input) => {
      const fn = findFunction(cloud, input);
      return {
        Configuration: configured(fn),
        Code: { RepositoryType: 'S3' },
        Tags: {},
        ...(fn.reserved !== undefined && { Concurrency: describeReserved(fn) }),
      };
    },
    GetFunctionConfiguration: (input) => configured(findFunction(cloud, input)),
    GetFunctionConcurrency: (input) => describeReserved(findFunction(cloud, input)),
    PutFunctionConcurrency: (input) => {
      const fn = findFunction(cloud, input);
      const limit = Number(input.ReservedConcurrentExecutions);
      if (!Number.isInteger(limit) || limit < 0)
        throw new Refused(
          'InvalidParameterValueException',
          'ReservedConcurrentExecutions: a whole number was expected',
        );
      if (!fn.reserve(limit)) throw tooLittleLeft(cloud.unreserved);
      return describeReserved(fn);
    },
    DeleteFunctionConcurrency: (input) => {
      findFunction(cloud, input).reserve(undefined);
      return raw(204, '');
    },
    ListEventSourceMappings: ({ FunctionName, EventSourceArn, Marker, MaxItems = 100 }) => {
      const fn = FunctionName === undefined ? undefined : findFunction(cloud, { FunctionName });
      const found = cloud.sources.filter(
        (source) =>
          (fn === undefined || source.fn === fn) &&
          (EventSourceArn === undefined || source.resource.properties.EventSourceArn === EventSourceArn),
      );
      const { page, next } = paginate(found, Marker, Number(MaxItems));
      return {
        EventSourceMappings: page.map((source) => describeMapping(cloud, source)),
        ...(next !== undefined && { NextMarker: next }),
      };
    },
    GetEventSourceMapping: (input) => describeMapping(cloud, findEventSource(cloud, input)),
    UpdateEventSourceMapping: ({ UUID, Enabled, ...others }) => {
      const source = findEventSource(cloud, { UUID });
      const [unknown] = Object.keys(others).filter((name) => name !== 'FunctionName');
      if (unknown !== undefined) throw new NotModelled(`${unknown} of an event source mapping can't be changed`);
      const changes = Enabled !== undefined && source.enabled !== (Enabled === true);
      if (changes) source.enabled = Enabled === true;
      // It has changed at once; only this answer says that it is being changed.
      return { ...describeMapping(cloud, source), ...(changes && { State: Enabled ? 'Enabling' : 'Disabling' }) };
    },
  };
}

const describeReserved = ({ reserved }: LambdaFunction): object =>
  reserved === undefined ? {} : { ReservedConcurrentExecutions: reserved };

const tooLittleLeft = ({ leastUnreserved }: SharedConcurrency): Refused =>
  new Refused(
    'InvalidParameterValueException',
    `Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${leastUnreserved}].`,
  );

function invoke(cloud: Account, input: Input): Promise<RawResponse> | RawResponse {
  const fn = findFunction(cloud, input);
  const event = parseEvent(input);
  switch (input.InvocationType ?? 'RequestResponse') {
    case 'DryRun':
      return raw(204, '');
    case 'Event':
      cloud.asynchronous.invokeAsync(fn.resource.arn, event);
      return raw(202, '');
    default: {
      const since = cloud.world.now;
      return new Promise((resolve, reject) =>
        fn.invoke(event, (result) => {
          if (result.kind === 'throttled') reject(throttled(fn));
          else resolve(answerOf(result, input.LogType === 'Tail' ? logTail(cloud, fn, since) : undefined));
        }),
      );
    }
  }
}

function parseEvent({ Payload }: Input): unknown {
  try {
    return Payload ? (JSON.parse(String(Payload)) as unknown) : {};
  } catch (error) {
    throw new Refused(
      'InvalidRequestContentException',
      `Could not parse request body into json: ${(error as Error).message}`,
    );
  }
}

function answerOf(result: Exclude<InvocationResult, { kind: 'throttled' }>, tail: string | undefined): RawResponse {
  const more = { 'x-amz-executed-version': '$LATEST', ...(tail !== undefined && { 'x-amz-log-result': tail }) };
  if (result.kind === 'returned') return raw(200, JSON.stringify(result.value ?? null), more);
  const body = JSON.stringify({ errorType: result.name, errorMessage: result.message, trace: [] });
  return raw(200, body, { ...more, 'x-amz-function-error': 'Unhandled' });
}

const raw = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): RawResponse =>
  new RawResponse({
    status,
    body,
    headers: { 'content-type': 'application/json', 'x-amzn-requestid': 'simulated', ...headers },
  });

function throttled({ reserved }: LambdaFunction): Refused {
  const Reason =
    reserved !== undefined ? 'ReservedFunctionConcurrentInvocationLimitExceeded' : 'ConcurrentInvocationLimitExceeded';
  return new Refused('TooManyRequestsException', 'Rate Exceeded.', 429, { Reason, Type: 'User' });
}

/** Returns the end of what the function has logged since a time; a concurrent invocation's lines are among it. */
function logTail({ log }: Account, { label }: LambdaFunction, since: number): string {
  const lines = log.slice(log.findLastIndex(({ at }) => at < since) + 1).filter((line) => line.fn === label);
  const text = Buffer.from(lines.map((line) => `${line.text}\n`).join(''));
  return text.subarray(-TAIL).toString('base64');
}

/** @param FunctionName name, ARN or part of an ARN, with or without a version */
function findFunction(cloud: Account, { FunctionName }: Input): LambdaFunction {
  const name = String(FunctionName)
    .replace(/^.*function:/, '')
    .replace(/:\$LATEST$/, '');
  const found = [...cloud.functions.values()].find(({ resource }) => resource.ref === name);
  if (!found)
    throw new Refused('ResourceNotFoundException', `Function not found: ${String(FunctionName)}`, 404, {
      Type: 'User',
    });
  return found;
}

function findEventSource({ sources }: Account, { UUID }: Input): EventSource {
  const found = sources.find(({ resource }) => resource.ref === UUID);
  if (!found)
    throw new Refused('ResourceNotFoundException', 'The resource you requested does not exist.', 404, { Type: 'User' });
  return found;
}

function describeConfiguration(fn: LambdaFunction, LastModified: string): object {
  const { ref, arn, properties } = fn.resource;
  const { Runtime, Handler, MemorySize = 128, Timeout = 3, Description = '', Architectures = ['x86_64'] } = properties;
  return {
    FunctionName: ref,
    FunctionArn: arn,
    Runtime,
    Role: fn.role,
    Handler,
    CodeSize: 0,
    Description,
    Timeout,
    MemorySize,
    LastModified,
    CodeSha256: createHash('sha256').update(JSON.stringify(properties.Code)).digest('base64'),
    Version: '$LATEST',
    ...(Object.keys(fn.variables).length > 0 && { Environment: { Variables: fn.variables } }),
    TracingConfig: { Mode: 'PassThrough' },
    State: 'Active',
    LastUpdateStatus: 'Successful',
    PackageType: 'Zip',
    Architectures,
    LoggingConfig: { LogFormat: 'Text', ...(properties.LoggingConfig as object | undefined), LogGroup: fn.logGroup },
  };
}

function describeMapping({ world }: Account, { resource, fn, enabled }: EventSource): object {
  const { FunctionName, Enabled, Tags, ...properties } = resource.properties;
  return {
    UUID: resource.ref,
    FunctionArn: fn.resource.arn,
    LastModified: toSeconds(world.now),
    State: enabled ? 'Enabled' : 'Disabled',
    StateTransitionReason: 'USER_INITIATED',
    ...properties,
  };
}
