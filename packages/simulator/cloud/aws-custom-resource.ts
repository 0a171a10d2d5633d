import type { Resource } from '../assembly/assembly.js';
import type { JsonObject } from '../assembly/intrinsics.js';
import type { LambdaFunction } from '../services/lambda/model.js';
import { NotModelled } from '../wire/operation.js';
import type { AwsRequest } from '../wire/request.js';
import type { Services } from './services.js';

/** A call as the CDK writes it into the template. */
interface SdkCall {
  /** `DynamoDB`, `dynamodb` or `@aws-sdk/client-dynamodb` */
  readonly service: string;
  /** `putItem`, `PutItem` or `PutItemCommand` */
  readonly action: string;
  readonly parameters?: JsonObject;
  readonly ignoreErrorCodesMatching?: string;
}

/** Services whose calls are answered at once, by their names in the SDK. */
const SERVICES: Readonly<Record<string, AwsRequest['service']>> = {
  dynamodb: 'dynamodb',
  eventbridge: 'events',
  kinesis: 'kinesis',
  sqs: 'sqs',
  ssm: 'ssm',
};

/**
 * Makes the call that an `AwsCustomResource` of the CDK makes when its stack is created, with the rights of its function. It is made at the
 * beginning of a history, and nothing goes wrong there. AWS CDK API Reference, "class AwsCustomResource".
 * @throws {NotModelled} if the model has no such call, or AWS refuses it: then the deployment fails
 */
export function createAwsCustomResource(
  { properties }: Resource,
  services: Services,
  functions: ReadonlyMap<string, LambdaFunction>,
): void {
  const { Create, ServiceToken } = properties;
  if (Create === undefined) return;
  const { service, action, parameters = {}, ignoreErrorCodesMatching } = readCall(String(Create));
  const name = service.replace(/^@aws-sdk\/client-/, '').toLowerCase();
  const known = Object.hasOwn(SERVICES, name) ? SERVICES[name] : undefined;
  const fn = functions.get(String(ServiceToken));
  if (known === undefined || !fn) throw new NotModelled(`its call of ${service} ${action}`);
  const operation = action.replace(/Command$/, '').replace(/^./, (first) => first.toUpperCase());
  const request: AwsRequest = { service: known, operation, input: parameters, protocol: 'json-1.0' };
  const answer = services.perform(request, { fn });
  if (typeof answer === 'function') throw new NotModelled(`its call of ${service} ${action}`);
  if (!('error' in answer)) return;
  const { code, message } = answer.error;
  const isIgnored = ignoreErrorCodesMatching !== undefined && new RegExp(ignoreErrorCodesMatching).test(code);
  if (!isIgnored) throw new NotModelled(`the deployment fails, since ${operation} is refused: ${code}: ${message}`);
}

function readCall(text: string): SdkCall {
  try {
    return JSON.parse(text) as SdkCall;
  } catch {
    throw new NotModelled(`its call is no JSON: ${text}`);
  }
}
