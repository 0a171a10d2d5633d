import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';

/** Services that are modelled and that tasks can call. */
export type CalledService =
  | 'sqs'
  | 'sns'
  | 'events'
  | 'dynamodb'
  | 's3'
  | 'scheduler'
  | 'secretsmanager'
  | 'ssm'
  | 'states';

interface SdkService {
  /** Name with which requests to it are signed. */
  readonly service: CalledService;
  /** Beginning of its errors in a workflow. */
  readonly prefix: string;
  readonly operations: RegExp;
}

/**
 * Services by their names in `aws-sdk:<service>:<action>`, with the beginning of their errors. AWS Step Functions Developer Guide, "Learning
 * to use AWS service SDK integrations in Step Functions".
 */
const SERVICES: Readonly<Record<string, SdkService>> = {
  dynamodb: {
    service: 'dynamodb',
    prefix: 'DynamoDb',
    operations: /^((Get|Put|Update|Delete)Item|Query|Scan|Batch(Get|Write)Item|Transact(Get|Write)Items)$/,
  },
  eventbridge: { service: 'events', prefix: 'EventBridge', operations: /^PutEvents$/ },
  scheduler: {
    service: 'scheduler',
    prefix: 'Scheduler',
    operations: /^(Create|Delete|Get|Update)Schedule$/,
  },
  secretsmanager: { service: 'secretsmanager', prefix: 'SecretsManager', operations: /^GetSecretValue$/ },
  sfn: {
    service: 'states',
    prefix: 'Sfn',
    operations: /^(SendTask(Success|Failure|Heartbeat)|(Start|Stop|Describe)Execution|ListExecutions)$/,
  },
  ssm: { service: 'ssm', prefix: 'Ssm', operations: /^GetParameters?(ByPath)?$/ },
  s3: { service: 's3', prefix: 'S3', operations: /^(Get|Put|Delete)Object$/ },
  sns: { service: 'sns', prefix: 'Sns', operations: /^Publish$/ },
  sqs: { service: 'sqs', prefix: 'Sqs', operations: /^SendMessage(Batch)?$/ },
};

/** Parameters of operations on objects that the model reads. */
const OF_OBJECTS = ['Body', 'Bucket', 'ContentType', 'Key', 'VersionId'];

/** Reads the action of a resource `aws-sdk:<service>:<action>`. @throws {NotModelled} */
export function readSdkAction(resource: string, action: string, parameters: readonly string[]) {
  const [, name = '', called = ''] = /^aws-sdk:(\w+):(\w+)$/.exec(action) ?? [];
  const known = Object.hasOwn(SERVICES, name) ? SERVICES[name] : undefined;
  const operation = called.replace(/^./, (first) => first.toUpperCase());
  if (!known?.operations.test(operation)) throw new NotModelled(`the resource ${resource}`);
  const unknown = known.service === 's3' ? parameters.filter((one) => !OF_OBJECTS.includes(one)) : [];
  if (unknown.length > 0) throw new NotModelled(`the parameter ${unknown.join(', ')} of ${resource}`);
  return { service: known.service, prefix: known.prefix, operation };
}

/**
 * Turns parameters of an SDK integration into a request. An object's body is JSON, whatever it is: a text gets quotation marks.
 * Decision 0326.
 */
export function toSdkRequest(service: CalledService, input: JsonObject): JsonObject | Record<string, unknown> {
  if (service === 'states') return toStatesRequest(input);
  if (service !== 's3') return input;
  const { Body, ...rest } = input;
  const bytes = Body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(Body as Json));
  return { ...rest, Body: bytes, Headers: {}, Conditions: {} };
}

/** Members of requests to Step Functions that are JSON in a text. A task may give the JSON itself. */
const JSON_TEXTS = ['input', 'output'];

/** "Learning to use AWS service SDK integrations in Step Functions": parameters begin in upper case, where the API's begin in lower case. */
function toStatesRequest(input: JsonObject): JsonObject {
  const members = Object.entries(input).map(([name, value]) => {
    const member = name.replace(/^./, (first) => first.toLowerCase());
    return [member, JSON_TEXTS.includes(member) && typeof value !== 'string' ? JSON.stringify(value) : value];
  });
  return Object.fromEntries(members) as JsonObject;
}

/** Turns an answer into what a task gets. */
export function fromSdkAnswer(service: CalledService, output: JsonObject): JsonObject {
  if (service !== 'states') return output;
  const upper = (name: string): string => name.replace(/^./, (first) => first.toUpperCase());
  const turn = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(turn);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [upper(name), turn(one)]));
  };
  return turn(output) as JsonObject;
}
