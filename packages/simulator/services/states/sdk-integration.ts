import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';

/** Services that are modelled and that tasks can call. */
export type CalledService = 'sqs' | 'sns' | 'events' | 'dynamodb' | 's3';

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
  if (service !== 's3') return input;
  const { Body, ...rest } = input;
  const bytes = Body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(Body as Json));
  return { ...rest, Body: bytes, Headers: {}, Conditions: {} };
}
